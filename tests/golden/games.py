"""One game of each preset, played by the engine, told by the referee, as text to be diffed.

The decisions below the story pin ids and observations: their order in the game, who decides, the
choice's id out of how many legal ones, and a checksum of the observation row.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from random import Random

from engine.drive import by_word, follow
from hanamikoji.engine import codes
from hanamikoji.engine.seat import Game
from hanamikoji.engine.single import SingleGame
from hanamikoji.rules import PRESETS
from naive import playthrough

FOLDER = Path(__file__).parent
SEED = 1

GAMES = {
    "base": 3,
    "three-round": 3,
    "three-round-full": 4,
    "avoid-misfortune": 5,
    "health": 2,
    "serendipity": 1,
    "wealth": 6,
}
"""Preset -> deal: games of more than one round, and one that is cut by its cap."""


def render(name: str) -> str:
    """The whole text of a preset's game."""
    single = SingleGame(Game.of(PRESETS[name]), ("a", "b"), SEED, GAMES[name])
    decisions: list[str] = []

    def choose(single: SingleGame, rng: Random) -> int:
        choice = by_word(single, rng)
        checksum = zlib.crc32(single.view.astype("<i4").tobytes())
        role = codes.ROLES[single.decider]
        decisions.append(f"  {role} {choice} out of {len(single.legal)}, sees {checksum:08x}")
        return choice

    referee = follow(single, choose, Random(0))
    story = playthrough(referee, f"{name}: seed {SEED}, deal {GAMES[name]}")
    return story + "\nDecisions\n" + "\n".join(decisions) + "\n"
