"""Types of the fields that a results folder's lists may have, and the ranges they lie in."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
"""Of every class that is read from a file: no other types, no other keys."""


def storable(text: str) -> str:
    """Text that any file can store: what isn't Unicode, such as a path's odd byte, is escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


Index = Annotated[int, Field(ge=0, le=10**12)]
"""A number of a cell, deal or round, or a bound of a range."""

Count = Annotated[int, Field(ge=0, le=10**13)]
"""How many, or how many bytes."""

Name = Annotated[str, Field(max_length=200)]
Line = Annotated[str, Field(max_length=10_000)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Seconds = Annotated[float, Field(ge=0)]
