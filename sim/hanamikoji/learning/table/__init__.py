"""Tables of mixed strategies, for rules whose information sets are few: near-optimal play.

``keys``: information sets as numbers. ``size``: how many there are. ``book``, ``starts``: what
training keeps of them and of the rounds of a game. ``traverse``, ``trainer``: counterfactual regret
minimisation. ``strategy``, ``store``: the average that is left, its file, the cache. ``play``: the
kernel that plays it. Import from the module; this page stays free of Numba.
"""
