"""From an experiment to the work there is: cells, chunks of their deals, shards of it all."""

from hanamikoji.plan.cells import Cell, Chunk, Plan, cut, make_plan
from hanamikoji.plan.shards import WHOLE, Shard, parse_shard

__all__ = ["WHOLE", "Cell", "Chunk", "Plan", "Shard", "cut", "make_plan", "parse_shard"]
