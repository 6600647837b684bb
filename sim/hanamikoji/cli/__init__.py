"""The command line: parse, call, print. Heavy imports stay inside the commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with an exit code.

    Ctrl-C gives no traceback, not even while the first modules are imported.
    """
    try:
        from hanamikoji.cli.app import main as run
    except KeyboardInterrupt:
        from hanamikoji.text import say

        say("interrupted")
        sys.exit(130)
    run(arguments)
