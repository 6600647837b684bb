"""Balance-testing for rule variants of the card game Hanamikoji.

Everything the command line does is here, to be imported:

- `load_experiment`, `estimate`, `run`, `open_results`, `merge`, `compare`: experiments and results
- `rules`, `PRESETS`, `play_game`: variants, and single games
- `check_agent`, `list_agents`, `train`, `ladder`, `probe`: agents and how strong they are
- `solve`, `exploitability`, `judge`: exact values of small variants, and agents measured on them
- `power`: how many games a verdict takes
- `status`, `verify`: the state of a results folder

Nothing prints unless asked. Every error that a caller can cause is a `HanamikojiError`. A name is
imported when it is first used, so that ``import hanamikoji`` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from hanamikoji._version import __version__

TYPE_CHECKING = False  # `typing` alone would take most of the time of the import
if TYPE_CHECKING:
    from typing import Any

    from hanamikoji.agents import list_agents
    from hanamikoji.api.exact import exploitability, judge, solve
    from hanamikoji.api.experiments import Experiment, estimate, load_experiment, run
    from hanamikoji.api.folders import Status, merge, status, verify
    from hanamikoji.api.games import Decision, GameRecord, play_game
    from hanamikoji.api.power import power
    from hanamikoji.api.results import Comparison, Results, compare, open_results
    from hanamikoji.api.strength import ladder, probe, train
    from hanamikoji.api.variants import PRESETS, Rules, rules
    from hanamikoji.errors import (
        AgentError,
        ExperimentError,
        HanamikojiError,
        InterruptedRunError,
        MachineError,
        PluginError,
        ResultsError,
        RulesError,
        SolveError,
    )
    from hanamikoji.tools.check import check_agent

_HOMES = {
    "hanamikoji.agents": ("list_agents",),
    "hanamikoji.api.exact": ("exploitability", "judge", "solve"),
    "hanamikoji.api.experiments": ("Experiment", "estimate", "load_experiment", "run"),
    "hanamikoji.api.folders": ("Status", "merge", "status", "verify"),
    "hanamikoji.api.games": ("Decision", "GameRecord", "play_game"),
    "hanamikoji.api.power": ("power",),
    "hanamikoji.api.results": ("Comparison", "Results", "compare", "open_results"),
    "hanamikoji.api.strength": ("ladder", "probe", "train"),
    "hanamikoji.api.variants": ("PRESETS", "Rules", "rules"),
    "hanamikoji.errors": (
        "AgentError", "ExperimentError", "HanamikojiError", "InterruptedRunError", "MachineError",
        "PluginError", "ResultsError", "RulesError", "SolveError",
    ),
    "hanamikoji.tools.check": ("check_agent",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "PRESETS",
    "AgentError",
    "Comparison",
    "Decision",
    "Experiment",
    "ExperimentError",
    "GameRecord",
    "HanamikojiError",
    "InterruptedRunError",
    "MachineError",
    "PluginError",
    "Results",
    "ResultsError",
    "Rules",
    "RulesError",
    "SolveError",
    "Status",
    "__version__",
    "check_agent",
    "compare",
    "estimate",
    "exploitability",
    "judge",
    "ladder",
    "list_agents",
    "load_experiment",
    "merge",
    "open_results",
    "play_game",
    "power",
    "probe",
    "rules",
    "run",
    "solve",
    "status",
    "train",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """A package whose functions `run`, `rules` and `solve` keep their names.

    The subpackages of the same names would otherwise take them over as soon as they are imported.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
