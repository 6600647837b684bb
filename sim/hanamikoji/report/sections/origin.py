"""How to reproduce the figures: seed, hashes, versions, command; and how they were computed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hanamikoji.report.columns import table, text
from hanamikoji.report.document import Block, Code, Paragraph, Section, Table
from hanamikoji.report.sections.labels import cut_note
from hanamikoji.report.source import Origin, VariantOrigin
from hanamikoji.report.words import NONE, count, name_list
from hanamikoji.results import AgentRecord
from hanamikoji.stats import Summary

_LISTED = 200


def origin_section(origin: Origin, *, many: bool) -> Section:
    """What it takes to reproduce a run; ``many``: one of several runs."""
    blocks: list[Block] = [
        Paragraph("The same seed, versions and command reproduce the games byte for byte:"),
        Code(origin.command),
        table(
            _facts(origin).items(),
            [text("property", lambda row: row[0]), text("value", lambda row: row[1])],
        ),
        _agents_table(origin),
        _variants_table(origin),
    ]
    return Section(f"Origin of {origin.folder}" if many else "Origin", tuple(blocks))


def _facts(origin: Origin) -> dict[str, str]:
    def listed(versions: Mapping[str, str]) -> str:
        return ", ".join(f"{name} {version}" for name, version in versions.items())

    return {
        "experiment": origin.name,
        "state": origin.state,
        "seed": str(origin.seed),
        "games requested": count(origin.games),
        "run time (s)": f"{origin.seconds:,.1f}, {origin.training_seconds:,.1f} of it for training",
        "experiment hash": origin.identity,
        "tables recorded": ", ".join(("games", *origin.record)),
        "versions": listed(origin.versions),
        "platform": listed(origin.platform),
    }


def _agents_table(origin: Origin) -> Table:
    def options(agent: AgentRecord) -> str:
        if not agent.options:
            return NONE
        return json.dumps(dict(agent.options), ensure_ascii=False, default=str)

    return table(
        origin.agents[:_LISTED],
        [
            text("agent", lambda a: a.name),
            text("entry point", lambda a: f"{a.agent} ({a.distribution} {a.version})"),
            text("kind", lambda a: a.kind),
            text("options", options),
        ],
        "Agents.",
    )


def _variants_table(origin: Origin) -> Table:
    def actions(variant: VariantOrigin) -> str:
        return name_list([str(action["name"]) for action in variant.rules["actions"]], 8)

    shown = origin.variants[:_LISTED]
    return table(
        shown,
        [
            text("variant", lambda v: v.name),
            text("rules hash", lambda v: v.rules_hash),
            text("actions", actions),
            text("charm", lambda v: " ".join(map(str, v.rules["charm"]))),
        ],
        "Rules; `hanamikoji rules` prints a variant in full."
        + cut_note(len(shown), len(origin.variants), "variants"),
    )


def methods_section(summary: Summary) -> Section | None:
    """How each kind of interval was computed."""
    if not summary.cells:
        return None
    cell = summary.cells[0]
    methods = {
        "scores and edges": cell.starter.interval.method,
        "verdicts": "as of scores, wide enough for all looks at the run together",
        "shares of games": cell.starter_wins.interval.method,
        "averages": cell.shape.mean_rounds.interval.method,
    }
    if summary.differences:
        methods["differences"] = summary.differences[0].interval.method
    return Section(
        "Methods",
        (
            table(
                methods.items(),
                [text("intervals of", lambda row: row[0]), text("method", lambda row: row[1])],
                "Intervals are 95 % unless stated otherwise. Between two different agents they are "
                "computed over pairs, since the two games of a deal are not independent.",
            ),
        ),
    )
