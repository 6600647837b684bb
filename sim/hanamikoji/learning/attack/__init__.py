"""Attacks: how much an opponent gains that is trained against an agent and nothing else."""
