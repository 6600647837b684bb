"""The oracle: a slow, readable referee of the game, written from docs/rules.md without the engine.

`Referee` leads a game, `knowledge` tells what a player may know, `playthrough` renders a game as
text, `play_game` plays one by Python's own random numbers.
"""

from naive.moves import Move, Take
from naive.play import play_game, step
from naive.playthrough import playthrough
from naive.referee import Referee
from naive.score import Result
from naive.view import Knowledge, knowledge

__all__ = [
    "Knowledge",
    "Move",
    "Referee",
    "Result",
    "Take",
    "knowledge",
    "play_game",
    "playthrough",
    "step",
]
