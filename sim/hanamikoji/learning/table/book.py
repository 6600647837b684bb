"""The information sets met in training: their legal moves, regrets and summed strategies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hanamikoji._jit import inline, kernel, njit, raw, shifted
from hanamikoji.engine.turns import legal_moves
from hanamikoji.learning.table.keys import find, information_key

Array = npt.NDArray[Any]

MOST_SLOTS, MOST_CHOICES = 1 << 22, 12_000_000  # 84 MB and 240 MB
SLOTS_USED, CHOICES_USED = 0, 1


class Book(NamedTuple):
    """An open-addressing table of information sets, each with a stretch of choices.

    By slot: ``keys`` int64 (0: empty), ``first`` int64 and ``count`` int32, its stretch. By
    choice: ``ids`` int32, ``regrets`` and ``sums`` float64. ``used`` int64 [2]: how many slots and
    choices are taken. ``slots`` is a power of two. From ``many_slots`` or ``many_choices`` on the
    book is to be made larger, unless it is as large as it may become.
    """

    keys: Any
    first: Any
    count: Any
    ids: Any
    regrets: Any
    sums: Any
    used: Any
    slots: int
    choices: int
    many_slots: int
    many_choices: int


def new_book(slots: int, choices: int) -> Book:
    """An empty one."""
    return Book(
        np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(slots, np.int32),
        np.zeros(choices, np.int32), np.zeros(choices), np.zeros(choices),
        np.zeros(2, np.int64), slots, choices,
        slots // 2 if slots < MOST_SLOTS else slots,
        choices - choices // 4 if choices < MOST_CHOICES else choices + 1,
    )  # fmt: skip


@inline
def pointers_of(book):
    """The book as pointers."""
    return Book(
        raw(book.keys), raw(book.first), raw(book.count),
        raw(book.ids), raw(book.regrets), raw(book.sums),
        raw(book.used), book.slots, book.choices, book.many_slots, book.many_choices,
    )  # fmt: skip


@inline
def has_room(book):
    """Whether a good part of it is free: more than a traversal adds as a rule."""
    return book.used[SLOTS_USED] < book.many_slots and book.used[CHOICES_USED] < book.many_choices


@njit
def look_up(book, view, tables):
    """The slot of the view's information set, entered if it is new; -1 if there is no room."""
    key = information_key(view, tables)
    slot = find(book.keys, book.slots - 1, key)
    if book.keys[slot] != 0:
        return slot
    used = book.used[CHOICES_USED]
    if 8 * book.used[SLOTS_USED] >= 7 * book.slots:
        return -1
    room = book.choices - used
    count = legal_moves(view, tables, shifted(book.ids, used), room)
    if count > room:
        return -1
    book.keys[slot] = key
    book.first[slot] = used
    book.count[slot] = count
    book.used[SLOTS_USED] += 1
    book.used[CHOICES_USED] = used + count
    return slot


@kernel
def move_slots(old, new):
    """Enter the slots of one book into a larger one; their choices keep their places."""
    for slot in range(old.slots):
        if old.keys[slot] != 0:
            to = find(new.keys, new.slots - 1, old.keys[slot])
            new.keys[to] = old.keys[slot]
            new.first[to] = old.first[slot]
            new.count[to] = old.count[slot]


def grown(book: Book) -> Book:
    """The same information sets with twice the room where it is scarce."""
    slots, choices = book.slots, book.choices
    if book.used[SLOTS_USED] >= book.many_slots:
        slots *= 2
    if book.used[CHOICES_USED] >= book.many_choices:
        choices = min(2 * choices, MOST_CHOICES)
    if (slots, choices) == (book.slots, book.choices):
        return book
    larger = new_book(slots, choices)
    move_slots(book, larger)
    n = len(book.ids)
    larger.ids[:n], larger.regrets[:n], larger.sums[:n] = book.ids, book.regrets, book.sums
    larger.used[:] = book.used
    return larger
