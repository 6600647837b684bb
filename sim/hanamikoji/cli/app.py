"""The commands' common frame, and the one place where an error becomes a line and an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from hanamikoji._version import __version__
from hanamikoji.cli.text import echo, echo_error
from hanamikoji.errors import HanamikojiError, InterruptedRunError
from hanamikoji.text import mute

EXIT_CODES = {
    0: "done",
    1: "a bug, with a traceback: please report it",
    2: "bad input, or a folder that can't be used",
    3: "an agent failed",
    4: "the machine failed: disk full, workers that keep dying",
    130: "interrupted; finished games are kept",
}
"""What the command's exit codes mean."""

_EPILOG = "Exit codes: " + "; ".join(f"{code}: {what}" for code, what in EXIT_CODES.items()) + "."

app = typer.Typer(
    name="hanamikoji",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog=_EPILOG,
)

# Typer carries its own copy of click from some version on; its base of usage errors is this one.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"hanamikoji {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Balance-testing for rule variants of the card game Hanamikoji."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with one of `EXIT_CODES`."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(_run(arguments))


def _open_closed_streams() -> None:
    """Have a closed stdin, stdout or stderr lead nowhere.

    A file that is opened later would get its number, and with it what libraries print.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, number)
            if nowhere != number:
                os.close(nowhere)
            os.set_inheritable(number, True)
            stream = os.fdopen(number, "w" if number else "r", closefd=False)
            setattr(sys, name, stream)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = int(app(arguments, standalone_mode=False) or 0)
        if code == InterruptedRunError.exit_code:  # newer typers return it for Ctrl-C
            raise KeyboardInterrupt
        return code
    except SystemExit:
        return 0  # so typer ends when the reader of our output is gone, as in `| head`
    except (Exception, KeyboardInterrupt) as error:
        sentence, code = _explain(error)
        echo_error(sentence)
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            return code
        mute(sys.stdout)  # what can't be written now can't be written at the very end either
        return code


def _explain(error: BaseException) -> tuple[str, int]:
    """An error as a sentence and an exit code. Raises it again if it is a bug."""
    if isinstance(error, HanamikojiError):
        return str(error), error.exit_code
    if isinstance(error, _UsageError):
        return f"{error.format_message().rstrip('.')}; see --help", 2  # type: ignore[attr-defined]
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return "interrupted", 130
    if isinstance(error, MemoryError):
        return "out of memory", 4
    if isinstance(error, OSError) and error.errno is not None:
        what = f"{error.filename}: " if error.filename else ""
        return f"{what}{error.strerror}", 4
    raise error


# The commands put themselves into `app` when they are imported.
from hanamikoji.cli import (  # noqa: E402
    agent_commands,  # noqa: F401
    bench_command,  # noqa: F401
    folder_commands,  # noqa: F401
    judge_command,  # noqa: F401
    ladder_command,  # noqa: F401
    plan_command,  # noqa: F401
    power_command,  # noqa: F401
    probe_command,  # noqa: F401
    report_commands,  # noqa: F401
    rules_commands,  # noqa: F401
    run_command,  # noqa: F401
    solve_command,  # noqa: F401
    train_command,  # noqa: F401
)
