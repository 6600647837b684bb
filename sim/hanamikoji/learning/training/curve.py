"""How good the weights are as training proceeds: against random, greedy and their own past."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hanamikoji.agents.loading import load_agent
from hanamikoji.engine.match import Match
from hanamikoji.engine.seat import Game, Seat
from hanamikoji.experiment import AgentUse
from hanamikoji.learning.network.agent import learned_seat
from hanamikoji.rules import Rules
from hanamikoji.stats.intervals import wilson_ends

if TYPE_CHECKING:
    from hanamikoji.learning.training.trainer import Training

OPPONENTS = ("random", "greedy")
PAST = "itself before"
_AT = (0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_Z = 1.959963984540054
_SEED = 20_240_601  # of the measuring games


@dataclass(frozen=True)
class Point:
    """A score (win 1, shared win 1/2) in both seatings, with the ends of its 95 % interval."""

    rounds: int
    opponent: str
    games: int
    score: float
    low: float
    high: float


def measure(one: Seat, other: Seat, rules: Rules, games: int) -> tuple[float, float, float]:
    """The score of ``one`` over half as many deals in both seatings, with a Wilson interval."""
    played = Match(Game.of(rules), (one, other), _SEED).play(0, games // 2).games
    outcome, seating = played["outcome"], played["seating"]
    starter = np.select([outcome == 0, outcome == 1], [1.0, 0.0], 0.5)
    score = float(np.where(seating == 0, starter, 1 - starter).mean())
    return score, *wilson_ends(score, games, _Z)


@dataclass
class Curve:
    """Measures a training at a few moments; ``show`` gets each line of the table."""

    rules: Rules
    games: int = 4000
    show: Callable[[str], None] = print
    points: list[Point] = field(default_factory=list)
    _past: Any = None
    _next: int = 0

    def __call__(self, training: Training) -> None:
        """Measure if it is time; to be called after every step."""
        share = training.done / training.recipe.rounds
        if self._next >= len(_AT) or share < _AT[self._next]:
            return
        while self._next < len(_AT) and share >= _AT[self._next]:
            self._next += 1
        game = Game.of(self.rules)
        now = learned_seat(training.weights(), game)
        others: dict[str, Seat] = {
            name: load_agent(AgentUse(name=name, agent=name)).seat(game) for name in OPPONENTS
        }
        if self._past is not None:
            others[PAST] = self._past
        else:
            self.show(_HEADING)
        for name, other in others.items():
            score, low, high = measure(now, other, self.rules, self.games)
            self.points.append(Point(training.done, name, self.games, score, low, high))
        self._past = learned_seat(training.weights(), game, PAST)
        self.show(self._line(training))

    def _line(self, training: Training) -> str:
        here = {point.opponent: point for point in self.points if point.rounds == training.done}
        cells = [f"{training.done:>12,}"]
        for name in (*OPPONENTS, PAST):
            point = here.get(name)
            cells.append(f"{point.score:.3f} {_bar(point.score)}" if point else " " * 16)
        return "  ".join(cells).rstrip()


def _bar(share: float) -> str:
    return "#" * round(share * 10) + "." * (10 - round(share * 10))


_HEADING = "  ".join(
    [f"{'rounds':>12}", *(f"{name:16}" for name in (*(f"vs {n}" for n in OPPONENTS), PAST))]
).rstrip()


def draw_curve(points: list[Point], path: Path, title: str) -> None:
    """Write the curve as a picture: .svg or .png, by the path's suffix."""
    import altair as alt
    import vl_convert

    rows = [vars(point) for point in points]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("rounds:Q", title="rounds of self-play"),
        color=alt.Color("opponent:N", title="against"),
    )
    lines = base.mark_line(point=True).encode(
        y=alt.Y("score:Q", title="score", scale=alt.Scale(domain=[0, 1]))
    )
    bands = base.mark_area(opacity=0.2).encode(y="low:Q", y2="high:Q")
    chart = (bands + lines).properties(width=480, height=300, title=title).to_dict()
    picture = (
        vl_convert.vegalite_to_png(chart, scale=2)
        if path.suffix == ".png"
        else vl_convert.vegalite_to_svg(chart).encode()
    )
    with io.BytesIO(picture) as content:
        path.write_bytes(content.getvalue())
