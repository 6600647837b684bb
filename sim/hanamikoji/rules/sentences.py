"""Faults as one sentence each: the key, the value found, and what would be accepted.

Every field of our models carries, as its pydantic ``description``, the end of the sentence "it must
be ..."; a validation error of any kind ends with it, so that a message can't forget what would
be accepted.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from hanamikoji.errors import RulesError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

LONGEST_SHOWN = 60
"""Characters of a found value that a sentence repeats."""

MOST_LISTED = 40
"""Names that a sentence lists."""


class KeyedRulesError(RulesError):
    """A fault of one key, separate from its text so that a loader can add where the key is."""

    def __init__(self, key: str, complaint: str) -> None:
        super().__init__(f"{key} {complaint}".strip())
        self.key = key
        self.complaint = complaint

    def __reduce__(self) -> tuple[type[KeyedRulesError], tuple[str, str]]:
        return type(self), (self.key, self.complaint)


class FaultError(ValueError):
    """Raised inside a pydantic validator: which key is at fault, and the rest of the sentence."""

    def __init__(self, key: str, complaint: str) -> None:
        super().__init__(key, complaint)
        self.key = key
        self.complaint = complaint


def show(value: object) -> str:
    """A found value in at most `LONGEST_SHOWN` characters, on one line, whatever it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 100:  # repr refuses 4,300 digits and more
        return "a number of more than 30 digits"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, str):
        text = repr(value[: LONGEST_SHOWN + 1])
    elif isinstance(value, list | tuple):
        items = ", ".join(show(item) for item in value[:LONGEST_SHOWN])
        text = f"[{items}]"
    elif isinstance(value, int | float) or value is None:
        text = repr(value)
    else:
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def choices(known: Iterable[str]) -> str:
    """``a, b or c``."""
    names = list(known)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def nearest(found: object, known: Iterable[str]) -> str:
    """The end of an unknown name's sentence: the nearest known name, or all there are if few."""
    names = list(known)
    if not names:
        return "there are none to choose from"
    word = found[:LONGEST_SHOWN] if isinstance(found, str) else ""
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]}?"
    if len(names) > MOST_LISTED:
        return f"it must be one of {len(names):,}, such as {choices(names[:3])}"
    return f"it must be one of {choices(names)}"


def unknown_key(table: Mapping[str, object], known: Iterable[str]) -> tuple[str, str] | None:
    """The first key of ``table`` that is not known, with its complaint."""
    names = list(known)
    for key in table:
        if key not in names:
            return bare_key(str(key)), f"is not a known key; {nearest(key, names)}"
    return None


def bare_key(key: str) -> str:
    """A key as a message shows it: itself if it is plain, else quoted and shortened."""
    return key if key.isprintable() and key and len(key) <= LONGEST_SHOWN else show(key)


def complaint_of(error: ValidationError, model: type[BaseModel]) -> tuple[str, str]:
    """The first fault of a pydantic error: its dotted key and the rest of its sentence."""
    first = error.errors(include_url=False)[0]
    fault = first.get("ctx", {}).get("error")
    if isinstance(fault, FaultError):
        parents = [str(part) for part in first["loc"]]
        return ".".join([*parents, fault.key] if fault.key else parents), fault.complaint
    return _field_complaint(first, model)


def _field_complaint(first: ErrorDetails, model: type[BaseModel]) -> tuple[str, str]:
    parts: list[str] = []
    owner: Any = model
    expected = ""
    for part in first["loc"]:
        fields = owner.model_fields if _is_model(owner) else {}
        if isinstance(part, str) and part in fields:
            expected = fields[part].description or ""
            owner = _without_none(fields[part].annotation)
        elif isinstance(part, str) and first["type"] != "extra_forbidden":
            break  # a tag that pydantic adds for a member of a union
        parts.append(bare_key(str(part)))
    key = ".".join(parts)
    if first["type"] == "extra_forbidden":
        known = owner.model_fields if _is_model(owner) else ()
        return key, f"is not a known key; {nearest(parts[-1], known)}"
    if first["type"] == "missing":
        return key, f"is missing; it must be {expected}"
    subject = "it" if len(parts) < 2 or not parts[-1].isdigit() else parts[-2]
    return key, f"is {show(first['input'])}; {subject} must be {expected}"


def _without_none(annotation: Any) -> Any:
    members = [member for member in get_args(annotation) if member is not NoneType]
    return members[0] if NoneType in get_args(annotation) and len(members) == 1 else annotation


def _is_model(owner: object) -> bool:
    return isinstance(owner, type) and issubclass(owner, BaseModel)
