"""Frames to estimates: polars frames of the games and rounds schema in, typed estimates out."""

from hanamikoji.stats.estimates import Summary
from hanamikoji.stats.facts import AgentFacts, CellFacts, Part, RunFacts, StopFacts
from hanamikoji.stats.summary import summarise, summarise_parts

__all__ = [
    "AgentFacts",
    "CellFacts",
    "Part",
    "RunFacts",
    "StopFacts",
    "Summary",
    "summarise",
    "summarise_parts",
]
