"""A variant, and the list of presets, as text for a designer to read."""

from __future__ import annotations

from collections.abc import Sequence

from hanamikoji.rules.action import Action
from hanamikoji.rules.model import Rules
from hanamikoji.rules.presets import PRESET_NOTES, PRESETS
from hanamikoji.text import align

_TO = {"actor": "to actor", "opponent": "to opponent", "out": "out of the round"}


def describe_presets() -> str:
    """One line per preset: its name, its hash, what it is."""
    rows = [(name, rules.hash, PRESET_NOTES[name]) for name, rules in PRESETS.items()]
    return "\n".join(_columns([("preset", "rules hash", "what it is"), *rows]))


def describe_rules(name: str, rules: Rules, distinct_moves: Sequence[int]) -> str:
    """The variant ``name`` as a table with its card arithmetic and its hash.

    ``distinct_moves`` has, for each of ``rules.kinds``, the number of different ways to play it.
    """
    sections = [
        [f"{name}  (rules hash {rules.hash})"],
        _geisha_lines(rules),
        _columns(_card_rows(rules)),
        _columns(_action_rows(rules, distinct_moves)),
        _columns(_end_rows(rules)),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections)


def _geisha_lines(rules: Rules) -> list[str]:
    rows = [
        ("geisha", *(str(g) for g in range(len(rules.charm))), "all"),
        ("charm", *map(str, rules.charm), str(sum(rules.charm))),
        ("items", *map(str, rules.items), str(rules.total_items)),
    ]
    if any(owner != "none" for owner in rules.markers):
        rows.append(("marker", *rules.markers, ""))
    return _columns(rows, right=True)


def _card_rows(rules: Rules) -> list[tuple[str, str]]:
    second = rules.second_actions or rules.actions
    turns = len(rules.actions) + len(second)
    drawn = rules.draw * turns
    rows = [
        (
            "deck",
            f"{rules.total_items} items - {rules.removed} removed - 2 x {rules.hand} in hand"
            f" = {rules.deck_size}",
        ),
        (
            "draws",
            f"{turns} turns x {rules.draw} = {drawn}, which leaves {rules.deck_size - drawn} in "
            "the deck",
        ),
    ]
    same = sorted(a.cards for a in second) == sorted(a.cards for a in rules.actions)
    for label, actions in (("hand",) * 2, rules.actions), (("second's hand",) * 2, second):
        played = sum(action.cards for action in actions)
        taken = rules.hand + rules.draw * len(actions)
        rows.append(
            (
                label[0],
                f"{rules.hand} dealt + {rules.draw * len(actions)} drawn - {played} played"
                f" = {taken - played}",
            )
        )
        if same:
            break
    return rows


def _action_rows(rules: Rules, distinct_moves: Sequence[int]) -> list[tuple[str, ...]]:
    starter, second = rules.marker_counts
    differ = starter != second
    markers = ("starter's", "second's") if differ else ("markers",)
    rows: list[tuple[str, ...]] = [("action", *markers, "cards", "face", "moves", "what happens")]
    for i, kind in enumerate(rules.kinds):
        counts = (starter[i], second[i]) if differ else (starter[i],)
        rows.append(
            (
                kind.name,
                *map(str, counts),
                str(kind.cards),
                kind.face,
                str(distinct_moves[i]),
                what_happens(kind),
            )
        )
    return rows


def what_happens(action: Action) -> str:
    """An action's row in words: ``2+2, opponent picks 1: to opponent, rest to actor``."""
    rest = _TO[action.rest_to]
    if action.exchange:
        return f"goes under the deck, the top card {rest}"
    if action.chooser == "nobody":
        return rest
    groups = "+".join(map(str, action.groups))
    unseen = " unseen" if action.face == "down" else ""
    chosen = _TO[action.chosen_to or "out"]
    seen = ", which the actor learns" if action.actor_sees else ""
    return f"{groups}, {action.chooser} picks {action.choose}{unseen}: {chosen}, rest {rest}{seen}"


def _end_rows(rules: Rules) -> list[tuple[str, str]]:
    goals = []
    if rules.goals.charm is not False:
        goals.append(f"{rules.goals.charm} charm")
    if rules.goals.geishas is not False:
        goals.append(f"{rules.goals.geishas} geishas")
    both = f"; {rules.goals.prevails} prevails" if len(goals) == 2 else ""
    rows = [("goal", (" or ".join(goals) + both) if goals else "none")]
    rows.append(("goal check", f"from round {rules.min_rounds}"))
    if rules.max_rounds is None:
        rows.append(("rounds", f"no cap; unfinished after round {rules.round_limit}"))
    else:
        ties = ", then ".join((*rules.cap_tiebreak, "a shared win"))
        rows.append(("rounds", f"at most {rules.max_rounds}; then {ties}"))
    rows.append(("next round", f"starter: {rules.next_starter}"))
    kept = "stay" if rules.keep_markers else "go back to where they were at first"
    rows.append(("", f"victory markers {kept}"))
    return rows


def _columns(rows: Sequence[Sequence[str]], *, right: bool = False) -> list[str]:
    """Aligned lines; columns of numbers (with ``right``, all but the first) are flush right."""
    numeric = (i for i in range(1, len(rows[0])) if right or all(r[i].isdigit() for r in rows[1:]))
    return align(rows, set(numeric))
