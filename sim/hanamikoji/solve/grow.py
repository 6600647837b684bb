"""Kernels that walk all of a round's game tree and gather both players' information sets.

Perfect recall: a player's information set is its last own decision (set and choice) together with
the view it now has; by induction that is all it ever saw and did in this round. A view alone may
forget, such as what it held when it answered an earlier offer.

The tree is walked depth first from a stack of positions. Kernels allocate nothing: they stop when
an array may not hold what the next position adds, and go on after it has been enlarged.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hanamikoji._jit import fixed, inline, kernel, njit, raw, shifted
from hanamikoji.engine import rng
from hanamikoji.engine import state as st
from hanamikoji.engine.chance import (
    blind_ways,
    clone,
    orders,
    put_on_deck,
    set_hands,
)
from hanamikoji.engine.rounds import begin_game
from hanamikoji.engine.turns import ROUND_OVER, apply_choice, legal_moves, show
from hanamikoji.moves import index as ix

PENDING, NODES, SETS, SEQUENCES, LEAVES, DEAL, MARGIN = 0, 1, 2, 3, 5, 6, 7
"""Places of ``counts``; SEQUENCES has one for each player, DEAL is the next deal, MARGIN
what one position may push."""

OWNER, PARENT, FIRST, CHOICES = range(4)
"""A set's row: its player, the sequence that leads to it, its first own sequence, how many."""

DONE, FULL = range(2)


class Deals(NamedTuple):
    """All deals of a round that differ, the first draw included."""

    base: Any  # int32 (st.SIZE,) a state at the round's first decision
    hands: Any  # int32 (n * 2 * MOST_GEISHAS,) the starter's, the other's
    pools: Any  # int32 (n * MOST_GEISHAS,) cards nobody has
    weights: Any  # float64 (n,) probabilities


class Stack(NamedTuple):
    """Positions still to be visited."""

    states: Any  # int32 (n * st.SIZE,)
    pools: Any  # int32 (n * MOST_GEISHAS,), see hanamikoji.engine.chance
    sequences: Any  # int32 (n * 2,) the last one of each player
    weights: Any  # float64 (n,) probability of chance


class GrownSets(NamedTuple):
    """The information sets found so far, those of both players in order of discovery."""

    rows: Any  # int32 (n * 4,), see OWNER
    views: Any  # int16 (n * columns,), the places in ``columns`` of its view
    hashes: Any  # uint64 (n,)
    buckets: Any  # int32 (power of two,) 1 + set
    choices: Any  # int32 (2 * room,) the ids of each player's sequences


class Leaves(NamedTuple):
    """Where the round is over."""

    sequences: Any  # int32 (n * 2,)
    results: Any  # int32 (n,) in base 3: who has more items of each geisha, see `result_of`
    weights: Any  # float64 (n,)


class WalkScratch(NamedTuple):
    """Memory of one visit."""

    state: Any  # int32 (st.SIZE,)
    keys: Any  # uint64 (st.KEYS,)
    ids: Any  # int64 (legal ids at most,)
    seen: Any  # int64 (MOST_WAYS,)
    pool: Any  # int32 (MOST_GEISHAS,)
    shown: Any  # int16 (columns,), of the view


@inline
def _bare_stack(stack):
    """The stack with pointers to what is shifted."""
    return Stack(raw(stack.states), raw(stack.pools), stack.sequences, stack.weights)


@inline
def _bare_scratch(scratch):
    """The scratch memory with pointers to what the engine reads and writes."""
    return WalkScratch(
        raw(scratch.state),
        raw(scratch.keys),
        scratch.ids,
        scratch.seen,
        scratch.pool,
        scratch.shown,
    )


@inline
def _bare_deals(deals):
    """The deals with pointers to what is shifted."""
    return Deals(raw(deals.base), raw(deals.hands), deals.pools, deals.weights)


@inline
def result_of(state, tables):
    """A round's result as the starter of the round sees it: sum of (sign of balance + 1) 3^g."""
    result, power = np.int32(0), np.int32(1)
    for g in range(tables[ix.GEISHAS]):
        balance = state[st.BALANCE + g]
        result += power * (np.int32(balance > 0) - np.int32(balance < 0) + np.int32(1))
        power *= np.int32(3)
    return result


@inline
def _free(before, after, tables):
    """Cards of the first deck that a decision draws; those behind them are known by then."""
    cards = tables[ix.CARDS]
    return min(cards, after) - min(cards, before)


@inline
def _power(base, exponent):
    power = np.int64(1)
    for _ in range(exponent):
        power *= base
    return power


@njit
def _add(child, tables, over, at, counts, stack, leaves):
    """Keep a child, which lies at the stack's end: ``at`` is (sequence 0, sequence 1, weight)."""
    first, second, weight = at
    if over:
        n = counts[LEAVES]
        leaves.sequences[2 * n] = first
        leaves.sequences[2 * n + 1] = second
        leaves.results[n] = result_of(child, tables)
        leaves.weights[n] = weight
        counts[LEAVES] = n + 1
        return
    n = counts[PENDING]
    stack.sequences[2 * n] = first
    stack.sequences[2 * n + 1] = second
    stack.weights[n] = weight
    counts[PENDING] = n + 1


@njit
def _follow(scratch, tables, choice, at, counts, stack, leaves):
    """Add all that may come after a choice, chance included."""
    state, keys, pool = scratch.state, scratch.keys, scratch.pool
    first, second, weight = at
    ways = blind_ways(state, tables, choice)
    found, key = 0, np.uint64(0)
    while found < ways:
        child = shifted(stack.states, counts[PENDING] * st.SIZE)
        clone(state, child)
        keys[st.DEAL_KEY] = key
        over = apply_choice(child, tables, keys, choice) == ROUND_OVER
        key += np.uint64(1)
        new = True
        for i in range(found):
            new = new and scratch.seen[i] != child[st.CHOSEN]
        if not new:
            continue
        scratch.seen[found] = child[st.CHOSEN]
        found += 1
        head, end = state[st.HEAD], child[st.HEAD]
        free = _free(head, end, tables)
        drawn_at = end - (0 if over else tables[ix.DRAW])  # an exchange's card lies before
        for cards in range(_power(tables[ix.GEISHAS], free)):
            n = counts[PENDING]
            child = shifted(stack.states, n * st.SIZE)
            rest = shifted(stack.pools, n * ix.MOST_GEISHAS)
            for g in range(tables[ix.GEISHAS]):
                rest[g] = pool[g]
            chance = 1.0
            if free > 0:
                clone(state, child)
                chance = put_on_deck(child, tables, rest, cards, free)
                chance *= orders(child, min(drawn_at, head + free), head + free)
                if chance == 0.0:
                    continue
                keys[st.DEAL_KEY] = key - np.uint64(1)
                apply_choice(child, tables, keys, choice)
            _add(
                child, tables, over, (first, second, weight * chance / ways), counts, stack, leaves
            )


@inline
def _take_top(counts, tables, stack, scratch):
    """Take the top position of the stack into scratch; returns its place."""
    n = counts[PENDING] - 1
    counts[PENDING] = n
    counts[NODES] += 1
    clone(shifted(stack.states, n * st.SIZE), scratch.state)
    for g in range(tables[ix.GEISHAS]):
        scratch.pool[g] = stack.pools[n * ix.MOST_GEISHAS + g]
    return n


@inline
def _same(sets, scratch, columns, found, parent):
    """Whether a known set has the view in scratch and the same last decision."""
    same = sets.rows[4 * found + PARENT] == parent
    for i in range(len(columns)):
        same = same and sets.views[found * len(columns) + i] == scratch.shown[i]
    return same


@njit
def _set_of(counts, sets, scratch, columns, owner_parent, n, mask):
    """The set of the position in scratch, which offers ``n`` choices; a new one is added."""
    owner, parent = owner_parent
    digest = rng.mix(np.uint64(2 * parent + owner))
    for i in range(len(columns)):
        digest = rng.mix(digest ^ np.uint64(scratch.shown[i]))
    bucket = np.int64(digest & np.uint64(mask))
    while sets.buckets[bucket] > 0:
        found = sets.buckets[bucket] - 1
        known = sets.hashes[found] == digest and sets.rows[4 * found + OWNER] == owner
        if known and _same(sets, scratch, columns, found, parent):
            return found
        bucket = (bucket + 1) & mask
    new = counts[SETS]
    counts[SETS] = new + 1
    sets.buckets[bucket] = new + 1
    sets.hashes[new] = digest
    row = shifted(raw(sets.rows), 4 * new)
    row[OWNER] = owner
    row[PARENT] = parent
    row[FIRST] = counts[SEQUENCES + owner]
    row[CHOICES] = n
    counts[SEQUENCES + owner] += n
    for i in range(len(columns)):
        sets.views[new * len(columns) + i] = scratch.shown[i]
    return new


@kernel
def first_state(state, keys, tables):
    """Bring a state to the first decision of a game's first round."""
    begin_game(raw(state), fixed(tables), raw(keys))


@inline
def _deal(deals, tables, counts, stack):
    """Push the next deal onto an empty stack."""
    n = counts[DEAL]
    clone(deals.base, stack.states)
    set_hands(stack.states, tables, shifted(deals.hands, 2 * n * ix.MOST_GEISHAS))
    for g in range(tables[ix.GEISHAS]):
        stack.pools[g] = deals.pools[n * ix.MOST_GEISHAS + g]
    stack.sequences[0] = 0
    stack.sequences[1] = 0
    stack.weights[0] = deals.weights[n]
    counts[DEAL] = n + 1
    counts[PENDING] = 1


@inline
def _visit(tables, columns, counts, stack, sets, leaves, scratch):
    """Take the top position, find its information set, push what may follow."""
    at = _take_top(counts, tables, stack, scratch)
    state, ids = scratch.state, scratch.ids
    first, second = np.int64(stack.sequences[2 * at]), np.int64(stack.sequences[2 * at + 1])
    weight = stack.weights[at]
    role = state[st.DECIDER]
    view = show(state, role)
    for i in range(len(columns)):
        scratch.shown[i] = view[columns[i]]
    parent = second if role else first
    n = legal_moves(view, tables, raw(ids), len(ids))
    mask = len(sets.buckets) - 1
    found = _set_of(counts, sets, scratch, columns, (role, parent), n, mask)
    own = np.int64(sets.rows[4 * found + FIRST])
    room = len(sets.choices) // 2
    for a in range(n):
        sets.choices[role * room + own + a] = ids[a]
        here = (first, own + a, weight) if role else (own + a, second, weight)
        _follow(scratch, tables, ids[a], here, counts, stack, leaves)


@kernel
def grow(tables, columns, deals, counts, stack, sets, leaves, scratch):
    """Walk the tree until it is done, or one of the arrays may be too small for the next step."""
    rules, dealt = fixed(tables), _bare_deals(deals)
    pending, memory = _bare_stack(stack), _bare_scratch(scratch)
    most = len(scratch.ids)
    margin = counts[MARGIN]
    while True:
        if counts[PENDING] == 0:
            if counts[DEAL] == len(deals.weights):
                return DONE
            _deal(dealt, rules, counts, pending)
        full = counts[PENDING] + margin > len(stack.weights)
        full = full or counts[LEAVES] + margin > len(leaves.weights)
        full = full or counts[SETS] + 1 > len(sets.hashes)
        longer = max(counts[SEQUENCES], counts[SEQUENCES + 1])
        if full or longer + most > len(sets.choices) // 2:
            return FULL
        _visit(rules, columns, counts, pending, sets, leaves, memory)


@kernel
def dive(tables, deals, counts, stack, leaves, scratch, word):
    """One random path: an unbiased estimate of the positions below a deal (Knuth 1975).

    "Estimating the efficiency of backtrack programs", Mathematics of Computation 29. The deal is
    the one that counts[DEAL] says. Returns the estimates of decisions and of leaves.
    """
    rules, pending, memory = fixed(tables), _bare_stack(stack), _bare_scratch(scratch)
    _deal(_bare_deals(deals), rules, counts, pending)
    decisions, ends, breadth, depth = 0.0, 0.0, 1.0, 0
    while counts[PENDING] == 1:
        decisions += breadth
        counts[LEAVES] = 0
        _take_top(counts, rules, pending, memory)
        state, ids = memory.state, memory.ids
        n = legal_moves(show(state, state[st.DECIDER]), rules, raw(ids), len(ids))
        for a in range(n):
            _follow(memory, rules, ids[a], (np.int64(0), np.int64(0), 1.0), counts, pending, leaves)
        ends += breadth * counts[LEAVES]
        children = counts[PENDING]
        if children == 0:
            break
        breadth *= children
        pick, _ = rng.below(rng.word(word, depth), children)
        depth += 1
        if pick > 0:
            clone(shifted(pending.states, pick * st.SIZE), pending.states)
            for g in range(ix.MOST_GEISHAS):
                pending.pools[g] = pending.pools[pick * ix.MOST_GEISHAS + g]
        counts[PENDING] = 1
    return decisions, ends


@kernel
def fill_buckets(buckets, hashes):
    """Put all sets into new buckets."""
    mask = len(buckets) - 1
    for i in range(len(hashes)):
        bucket = np.int64(hashes[i] & np.uint64(mask))
        while buckets[bucket] > 0:
            bucket = (bucket + 1) & mask
        buckets[bucket] = i + 1
