"""What this process may use of the machine, and what it uses."""

from __future__ import annotations

import os

import psutil


def core_count() -> int:
    """Cores that this process may run on, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory() -> int:
    """Bytes that new processes can take without swapping."""
    return int(psutil.virtual_memory().available)


def resident_memory() -> int:
    """Bytes of memory that this process takes."""
    return int(psutil.Process().memory_info().rss)
