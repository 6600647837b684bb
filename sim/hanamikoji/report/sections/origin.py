"""Where the figures come from: seed, hashes, versions, and the command that plays them again."""

from __future__ import annotations

import json

from hanamikoji.report.document import Block, Cell, Code, Column, Paragraph, Section, Table, row
from hanamikoji.report.source import Origin
from hanamikoji.report.words import NONE, count, named
from hanamikoji.stats import Summary

_RULES_SHOWN = 200


def origin_section(origin: Origin, *, many: bool) -> Section:
    """Everything that it takes to get the same figures again; ``many``: of one run among others."""
    blocks: list[Block] = [
        Paragraph("The same seed, versions and command give the same games, byte for byte:"),
        Code(origin.command),
        Table(
            (Column("what"), Column("value")),
            tuple(row(name, value) for name, value in _facts(origin)),
        ),
        Table(
            (Column("agent"), Column("plugin's name"), Column("kind"), Column("options")),
            tuple(
                row(
                    a.name,
                    f"{a.agent} ({a.distribution} {a.version})",
                    a.kind,
                    json.dumps(dict(a.options), ensure_ascii=False, default=str)
                    if a.options
                    else NONE,
                )
                for a in origin.agents[:_RULES_SHOWN]
            ),
            "Agents.",
        ),
        _variants(origin),
    ]
    return Section(f"Origin of {origin.folder}" if many else "Origin", tuple(blocks))


def _facts(origin: Origin) -> list[tuple[str, str]]:
    def pairs(of: object) -> str:
        return ", ".join(f"{k} {v}" for k, v in of.items()) if isinstance(of, dict) else str(of)

    recorded = ", ".join(("games", *origin.record))
    return [
        ("experiment", origin.name),
        ("state", origin.state),
        ("seed", str(origin.seed)),
        ("games asked for", count(origin.games)),
        ("seconds of play", f"{origin.seconds:,.1f}"),
        ("experiment's digest", origin.identity),
        ("tables recorded", recorded),
        ("versions", pairs(dict(origin.versions))),
        ("platform", pairs(dict(origin.platform))),
    ]


def _variants(origin: Origin) -> Table:
    shown = origin.variants[:_RULES_SHOWN]
    more = ""
    if len(shown) < len(origin.variants):
        more = f" Shown are {len(shown):,} of {len(origin.variants):,}; report.json has all."
    return Table(
        (Column("variant"), Column("rules hash"), Column("actions"), Column("charm")),
        tuple(
            row(
                variant.name,
                variant.rules_hash,
                named([str(action["name"]) for action in variant.rules["actions"]], 8),
                Cell(" ".join(str(c) for c in variant.rules["charm"])),
            )
            for variant in shown
        ),
        "Rules; `hanamikoji rules` shows one in full." + more,
    )


def methods_section(summary: Summary) -> Section | None:
    """How the intervals were computed, once each."""
    if not summary.cells:
        return None
    cell = summary.cells[0]
    methods = {
        "scores and edges": cell.starter.interval.method,
        "shares of games": cell.starter_wins.interval.method,
        "averages": cell.shape.mean_rounds.interval.method,
    }
    if summary.differences:
        methods["differences"] = summary.differences[0].interval.method
    return Section(
        "Methods",
        (
            Table(
                (Column("intervals of"), Column("method")),
                tuple(row(what, method) for what, method in methods.items()),
                "Intervals are 95 % unless they say otherwise, and count pairs of games where two "
                "agents meet, since the two games of a deal are not independent.",
            ),
        ),
    )
