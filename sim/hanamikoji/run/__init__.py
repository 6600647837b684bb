"""Executors: an experiment's games, played by threads, processes or a cluster, into a folder."""

from hanamikoji.run.crew import worker_count
from hanamikoji.run.estimate import CellEstimate, Estimate, estimate
from hanamikoji.run.main import Options, play_alone, run

__all__ = [
    "CellEstimate",
    "Estimate",
    "Options",
    "estimate",
    "play_alone",
    "run",
    "worker_count",
]
