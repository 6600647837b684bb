"""Executors: an experiment's games, played by threads, processes or a cluster, into a folder."""

from hanamikoji.run.main import Options, play_alone, run
from hanamikoji.run.replay import replay_game

__all__ = ["Options", "play_alone", "replay_game", "run"]
