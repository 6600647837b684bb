"""Greedy: an agent that looks one ply ahead, at whatever the rules' rows say.

Every legal move is priced by the position it leaves. There each geisha's marker has a chance to go
either way: the items on the table lie where they lie, and all others, in the hand, face down or
unseen, land on either side in the shares that the unused action markers leave open. An offer is
worth what is left after the answer that is worst for oneself, a choice by chance its average.

What an action does comes from its row alone. A *fate* is one way in which the groups of a move can
be chosen: of each card whether it ends on the actor's side (+1), the other's (-1) or neither (0).
"""

from hanamikoji.agents.greedy.agent import Greedy

__all__ = ["Greedy"]
