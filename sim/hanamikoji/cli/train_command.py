"""``hanamikoji train``: weights for a variant, by self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.text import say, shown
from hanamikoji.errors import PluginError


@app.command()
def train(
    name: Annotated[
        str, typer.Argument(metavar="EXPERIMENT|RULES", help="A preset, or a TOML file.")
    ],
    effort: Annotated[
        str, typer.Option(help="quick, standard, long, or a number of rounds.")
    ] = "standard",
    seed: Annotated[int, typer.Option(min=0, help="Of the training.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the weights go, beside the cache.")
    ] = None,
    curve: Annotated[
        Path | None, typer.Option(metavar="PICTURE", help="The learning curve, .svg or .png.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key of a file."),
    ] = None,
) -> None:
    """Train the 'learned' agent on a variant; interrupted, it goes on when called again."""
    from hanamikoji.experiment import load_variants
    from hanamikoji.learning.network.store import rounds_of
    from hanamikoji.rules import PRESETS, load_rules

    rounds = rounds_of(effort)
    if curve is not None and curve.suffix not in (".svg", ".png"):
        raise PluginError(f"--curve is {str(curve)!r}; a picture's name ends in .svg or .png")
    if name in PRESETS and not settings:
        variants = {name: load_rules(name)}
    else:
        variants = load_variants(Path(name), settings or ())
    if (out or curve) and len(variants) > 1:
        raise PluginError(
            f"{name} has {len(variants)} variants; --out and --curve are for one, a file that has "
            "its rules alone"
        )
    for variant, rules in variants.items():
        _train(variant, rules, rounds, seed, out, curve)


def _train(variant, rules, rounds, seed, out, curve) -> None:  # type: ignore[no-untyped-def]
    from hanamikoji.learning.network.features import build_features
    from hanamikoji.learning.network.store import cached_path
    from hanamikoji.learning.network.weights import save_weights
    from hanamikoji.learning.training import Training, train_to_cache
    from hanamikoji.learning.training.bar import TrainingBar
    from hanamikoji.learning.training.curve import Curve, draw_curve

    say(f"{shown(variant)} (rules {rules.hash}): {rounds:,} rounds of self-play, seed {seed}")
    for note in build_features(rules).notes:
        say(note)
    measured = Curve(rules, show=say)
    with TrainingBar() as bar:

        def tell(training: Training) -> None:
            bar(variant, rounds, training.done)
            measured(training)

        weights = train_to_cache(rules, rounds, seed, tell)
    path = cached_path(rules, rounds, seed)
    if out is not None:
        save_weights(out, weights)
        path = out
    if curve is not None:
        draw_curve(measured.points, curve, f"{variant}, {rounds:,} rounds")
    say(f"weights {weights.hash}: {path}")
