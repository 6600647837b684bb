"""Rules as data: a variant is a frozen table that the engine interprets."""

from hanamikoji.rules.action import Action
from hanamikoji.rules.loader import load_rules
from hanamikoji.rules.model import Goals, Rules
from hanamikoji.rules.presets import ACTION_SETS, ACTIONS, PRESETS

__all__ = ["ACTIONS", "ACTION_SETS", "PRESETS", "Action", "Goals", "Rules", "load_rules"]
