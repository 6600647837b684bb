"""Experiments: what a designer writes in TOML, merged, checked and frozen."""

from hanamikoji.experiment.loader import (
    build_experiment,
    load_experiment,
    load_variants,
    read_experiment,
    read_variants,
)
from hanamikoji.experiment.model import AgentUse, Experiment, Sprt, Stop
from hanamikoji.experiment.settings import Setting, apply_settings, parse_setting

__all__ = [
    "AgentUse",
    "Experiment",
    "Setting",
    "Sprt",
    "Stop",
    "apply_settings",
    "build_experiment",
    "load_experiment",
    "load_variants",
    "parse_setting",
    "read_experiment",
    "read_variants",
]
