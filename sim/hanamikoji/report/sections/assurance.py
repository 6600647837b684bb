"""How far a verdict is from perfect play: levels, trainings, and the value of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from hanamikoji.report.assurances import TrainingSpread, VariantAssurance
from hanamikoji.report.document import Block, Items, Paragraph
from hanamikoji.report.levels import unfit_agents
from hanamikoji.report.source import Origin
from hanamikoji.report.words import (
    count,
    fixed,
    joined,
    margin_text,
    name_list,
    percent,
    percent_range,
    points,
    points_range,
)
from hanamikoji.stats import CellSummary, Interval, Summary
from hanamikoji.stats.bands import SHORTFALL, Band, exact_decision, spread

_LISTED = 12
_MEANING = (
    "Intervals cover the noise of the games, not the error of the play. Agents or trainings that "
    "agree prove nothing: they may be wrong alike. A band is estimated by attacks. They fall short "
    f"of best responses, for which {100 * SHORTFALL:g} pp are allowed on either side: more than on "
    "any of the solved variants that this was measured on."
)
_UNFIT = "Verdicts on {} play are no verdicts on the variant: such play can favour the wrong seat."


def assurance_blocks(summary: Summary, origins: tuple[Origin, ...]) -> list[Block]:
    """What verdicts rest on, a line for each finding; empty if there is nothing to tell."""
    found = [each for origin in origins for each in origin.assurances]
    lines = [line for each in found for line in _lines(each, summary.facts.margin)]
    lines += _agreements(summary)
    blocks: list[Block] = []
    unfit = unfit_agents(summary)
    weak = [c.agent_a for c in summary.cells if c.mirror and c.agent_a in unfit]
    if weak:
        blocks.append(Paragraph(_UNFIT.format(name_list(list(dict.fromkeys(weak)))), brief=True))
    if lines:
        more = len(lines) - _LISTED
        rest = [f"{count(more)} more; report.json has all."] if more > 0 else []
        blocks.append(Items(tuple(lines[:_LISTED] + rest), brief=True))
        blocks.append(Paragraph(_MEANING))
    return blocks


def exact_sentence(summary: Summary, origins: tuple[Origin, ...]) -> str:
    """What perfect play makes of the variants that could be solved; empty if none could."""
    margin = summary.facts.margin
    told = [
        f"{each.variant} is {exact_decision(each.exact.value, margin)} "
        f"({_value(each.exact.value)} % for the starter)"
        for origin in origins
        for each in origin.assurances
        if each.exact is not None
    ]
    return f"Under perfect play, {name_list(told, 3)}." if told else ""


def _lines(found: VariantAssurance, margin: float) -> Iterator[str]:
    for each in found.trainings:
        yield f"{found.variant}, {_trainings(each)}"
    if found.exact is not None:
        value = found.exact.value
        inside = "inside" if exact_decision(value, margin) == "balanced" else "outside"
        yield (
            f"{found.variant}: under perfect play the starter scores {_value(value)} % (solved in "
            f"{_seconds(found.exact.seconds)}), {inside} the margin of {margin_text(margin)}."
        )
    elif found.band is not None:
        yield (
            f"{found.variant}: under perfect play the starter scores {_band(found.band)} %, "
            f"estimated by {count(found.attacks)} attacks on {name_list(found.attacked)} that took "
            f"{_seconds(found.attack_seconds)}.{_crossed(found.band)}"
        )


def _trainings(found: TrainingSpread) -> str:
    scores = [
        f"{percent(each.score.score, interval)} % ({percent_range(interval)}) from seed {each.seed}"
        for each in (found.first, found.second)
        for interval in (Interval(each.score.low, each.score.high, 0.95, ""),)
    ]
    apart = found.spread
    verb = "beyond" if apart.beyond_noise else "within"
    return (
        f"two independent trainings of {found.agent}: the starter scores {joined(scores)} in "
        f"{count(found.first.games)} games each, {points(apart.difference, apart.interval)} pp "
        f"apart (95 % CI {points_range(apart.interval)}), {verb} noise."
    )


def _agreements(summary: Summary) -> Iterator[str]:
    """Whether a variant's levels of play agree, those that are fit for a verdict."""
    unfit = unfit_agents(summary)
    mirrors: dict[str, list[CellSummary]] = {}
    for cell in summary.cells:
        if cell.mirror and cell.agent_a not in unfit:
            mirrors.setdefault(cell.variant, []).append(cell)
    for variant, cells in mirrors.items():
        if len(cells) > 1:
            yield f"{variant}: {_agreement(cells)}"


def _agreement(cells: Sequence[CellSummary]) -> str:
    scores = joined(
        f"{c.agent_a} {percent(c.starter.value, c.starter.interval)} % "
        f"({percent_range(c.starter.interval)})"
        for c in cells
    )
    apart = any(
        spread(a.starter.interval, b.starter.interval).beyond_noise
        for a, b in combinations(cells, 2)
    )
    verb = "differ beyond noise" if apart else "agree within noise, which proves nothing"
    return f"the starter's score by level of play: {scores}; these {verb}."


def _band(band: Band) -> str:
    return f"{fixed(100 * band.low, 0)} to {fixed(100 * band.high, 0)}"


def _crossed(band: Band) -> str:
    note = " The attacks contradict each other: some fell shorter than is allowed for."
    return note if band.crossed else ""


def _value(value: float) -> str:
    return fixed(100 * value, 2)


def _seconds(seconds: float) -> str:
    return f"{fixed(seconds, 0 if seconds >= 9.5 else 1)} s"
