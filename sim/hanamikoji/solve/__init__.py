"""Small variants solved exactly: values with bounds, equilibria, and how exploitable agents are."""

from hanamikoji.solve.measuring import Measured, exploitability
from hanamikoji.solve.solving import Solution, solve

__all__ = ["Measured", "Solution", "exploitability", "solve"]
