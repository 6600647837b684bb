"""The suite: small variants that ship with their values, one for each feature of the rules.

``python -m hanamikoji.solve.shipped`` solves them all and writes the values anew.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from hanamikoji.experiment import load_variants
from hanamikoji.rules import Rules
from hanamikoji.solve.solving import Solution, solve

SUITE = Path(__file__).parent / "suite"
_VALUES = SUITE / "values.json"


@dataclass(frozen=True)
class Known:
    """What is known of a variant of the suite.

    The starter's score in equilibrium, 0..1, lies between ``low`` and ``high``. ``nodes``
    (decisions) and ``sets`` (information sets of both players) are those of a round, which may
    begin at so many ``positions`` of markers, starter and round.
    """

    rules: str
    low: float
    high: float
    nodes: int
    sets: int
    positions: int

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return (self.low + self.high) / 2


def suite_names() -> list[str]:
    """The variants in alphabetical order."""
    return sorted(path.stem for path in SUITE.glob("*.toml"))


def suite_rules(name: str) -> Rules:
    """The rules of a variant of the suite."""
    return next(iter(load_variants(SUITE / f"{name}.toml").values()))


def suite_feature(name: str) -> str:
    """What a variant is there for: the first line of its file."""
    return (SUITE / f"{name}.toml").read_text().partition("\n")[0].removeprefix("# ")


def known_values() -> dict[str, Known]:
    """What is known of every variant of the suite."""
    return {name: Known(**found) for name, found in json.loads(_VALUES.read_text()).items()}


def known_of(solution: Solution) -> Known:
    """What is worth keeping of a solution."""
    model = solution.model
    return Known(
        solution.rules.hash,
        solution.low,
        solution.high,
        model.tree.nodes,
        model.tree.sets,
        len(model.chain.positions),
    )


def _write_values() -> None:
    found = {}
    for name in suite_names():
        solution = solve(suite_rules(name))
        found[name] = asdict(known_of(solution))
        print(f"{name}: {solution.value:.5%}, {solution.status}", flush=True)
    _VALUES.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    _write_values()
