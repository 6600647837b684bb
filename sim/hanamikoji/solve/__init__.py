"""Small variants solved exactly: values with bounds, equilibria, and how exploitable agents are."""

from hanamikoji.solve.measuring import Measured, exploitability, measure
from hanamikoji.solve.solving import Solution, build_model, solve
from hanamikoji.solve.tree import Size

__all__ = ["Measured", "Size", "Solution", "build_model", "exploitability", "measure", "solve"]
