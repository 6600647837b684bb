"""Executors: an experiment's games, played by threads, processes or a cluster, into a folder."""

from hanamikoji.run.estimate import CellEstimate, Estimate, estimate
from hanamikoji.run.main import Options, play_alone, run
from hanamikoji.run.progress import Progress, Silence, Terminal

__all__ = [
    "CellEstimate",
    "Estimate",
    "Options",
    "Progress",
    "Silence",
    "Terminal",
    "estimate",
    "play_alone",
    "run",
]
