"""One exception family: every error a user can cause is one sentence and an exit code."""

from __future__ import annotations

import errno
import os
from pathlib import Path


class HanamikojiError(Exception):
    """An error whose text is one sentence for the user; the command line prints it and exits.

    ``exit_code`` is 2 for bad input, 3 for an agent that failed, 4 for the machine (disk, workers),
    130 for an interruption.
    """

    exit_code = 2


class RulesError(HanamikojiError):
    """Rules that can't be played: the key, the value found, and what would be accepted."""


class ExperimentError(HanamikojiError):
    """An experiment file or override with an impossible value or an unknown key."""


class PluginError(HanamikojiError):
    """An agent that is unknown, can't be imported, or doesn't follow the agent protocol."""


class SolveError(HanamikojiError):
    """A variant that is too large to be solved, or an agent that can't be measured exactly."""


class ResultsError(HanamikojiError):
    """A results folder that can't be used as asked."""


class AgentError(HanamikojiError):
    """An agent that raised, hung, or answered with something that is no legal move.

    ``deal`` and ``seating`` are those of the game, where it is one.
    """

    exit_code = 3

    def __init__(
        self, sentence: str, *, deal: int | None = None, seating: int | None = None
    ) -> None:
        super().__init__(sentence)
        self.deal = deal
        self.seating = seating


class MachineError(HanamikojiError):
    """The machine gave out: disk full, worker processes that keep dying."""

    exit_code = 4


class InterruptedRunError(HanamikojiError):
    """A run that was interrupted; what is finished is kept."""

    exit_code = 130


class StalledError(BaseException):
    """Raised inside a plain agent's ``act`` to end a decision that takes too long.

    No `Exception`, so that an agent that catches everything does not catch it.
    """


def disk_error(error: OSError, folder: Path) -> MachineError:
    """A failure to write into a folder, as one sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return MachineError(f"the disk that holds {folder} is full")
    if error.errno == errno.EFBIG:
        return MachineError(f"a file in {folder} would be larger than this system lets files be")
    reason = error.strerror or (os.strerror(error.errno) if error.errno else str(error))
    return MachineError(f"{folder} can't be written to: {reason}")


def is_full(error: OSError) -> bool:
    """Whether there was no room for what was written."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
