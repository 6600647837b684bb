"""From an experiment to the work there is: cells, and chunks of their deals."""

from hanamikoji.plan.cells import Cell, Chunk, Plan, cut, make_plan

__all__ = ["Cell", "Chunk", "Plan", "cut", "make_plan"]
