"""``hanamikoji train``: weights for a variant, by self-play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hanamikoji.cli.app import app
from hanamikoji.cli.options import Settings
from hanamikoji.cli.text import echo
from hanamikoji.errors import MachineError, PluginError
from hanamikoji.text import escape_terminal

if TYPE_CHECKING:
    from hanamikoji.learning.table.trainer import TableTraining
    from hanamikoji.learning.training import Training
    from hanamikoji.rules import Rules


@app.command()
def train(
    name: Annotated[
        str, typer.Argument(metavar="PRESET|FILE", help="A preset, or a TOML file with variants.")
    ],
    effort: Annotated[
        str, typer.Option(help="quick, standard, long, or a number of rounds.")
    ] = "standard",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the training.")] = 1,
    model: Annotated[
        str | None, typer.Option(help="table or network; by default what suits the variant.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the weights to FILE as well.")
    ] = None,
    curve: Annotated[
        Path | None,
        typer.Option(metavar="PICTURE", help="Draw the learning curve, as .svg or .png."),
    ] = None,
    settings: Settings = None,
) -> None:
    """Train the 'learned' agent on a variant; called again, an interrupted training continues."""
    from hanamikoji.api.variants import variants
    from hanamikoji.learning.network.agent import Learned
    from hanamikoji.learning.network.store import rounds_of

    rounds = rounds_of(effort)
    if curve is not None and curve.suffix not in (".svg", ".png"):
        raise PluginError(f"--curve is {str(curve)!r}; a picture's name must end in .svg or .png")
    found = variants(name, settings or ())
    if (out or curve) and len(found) > 1:
        raise PluginError(f"{name} has {len(found)} variants; --out and --curve are for one")
    for variant, rules in found.items():
        if Learned(rounds, seed, model=model).model(rules) == "network":
            _train_network(variant, rules, rounds, seed, out, curve)
        elif curve is None:
            _train_table(variant, rules, rounds, seed, out)
        else:
            raise PluginError(
                f"--curve draws how a network learns; {escape_terminal(variant)} is small enough "
                "for a table: add --model network"
            )


def _train_table(variant: str, rules: Rules, rounds: int, seed: int, out: Path | None) -> None:
    import hanamikoji
    from hanamikoji.learning.table.size import information_sets
    from hanamikoji.learning.table.store import table_path
    from hanamikoji.learning.training.bar import TrainingBar

    echo(
        f"{escape_terminal(variant)} (rules {rules.hash}): a table of about "
        f"{information_sets(rules):,} information sets, effort of {rounds:,} rounds, seed {seed}"
    )
    with TrainingBar() as bar:

        def tell(training: TableTraining) -> None:
            bar(variant, rounds, training.done)

        weights = hanamikoji.train(rules, rounds, seed, model="table", out=out, progress=tell)
    echo(f"weights {weights.hash}: {out or table_path(rules, rounds, seed)}")


def _train_network(
    variant: str, rules: Rules, rounds: int, seed: int, out: Path | None, picture: Path | None
) -> None:
    import hanamikoji
    from hanamikoji.learning.network.features import build_features
    from hanamikoji.learning.network.store import cached_path
    from hanamikoji.learning.training.bar import TrainingBar
    from hanamikoji.learning.training.curve import Curve, draw_curve

    if out is None:
        _check_cache()
    echo(
        f"{escape_terminal(variant)} (rules {rules.hash}): {rounds:,} rounds of self-play, "
        f"seed {seed}"
    )
    for note in build_features(rules).notes:
        echo(note)
    curve = Curve(rules, show=echo)
    with TrainingBar() as bar:

        def tell(training: Training) -> None:
            bar(variant, rounds, training.done)
            curve(training)

        weights = hanamikoji.train(rules, rounds, seed, model="network", out=out, progress=tell)
    if picture is not None:
        draw_curve(curve.points, picture, f"{variant}, {rounds:,} rounds")
    if out is None:
        _check_cache()
    echo(f"weights {weights.hash}: {escape_terminal(str(out or cached_path(rules, rounds, seed)))}")


def _check_cache() -> None:
    """See that weights can be kept. Raises `MachineError`."""
    from hanamikoji._jit import cache_folder, cache_trouble

    cache_folder()
    if trouble := cache_trouble():
        raise MachineError(f"the weights can't be kept: {trouble}; write them to a file with --out")
