"""[sweep]: one experiment over many points, each a few keys with values of their own."""

from hanamikoji.experiment.sweep.expand import expand
from hanamikoji.experiment.sweep.shape import MOST_POINTS, check_sweep

__all__ = ["MOST_POINTS", "check_sweep", "expand"]
