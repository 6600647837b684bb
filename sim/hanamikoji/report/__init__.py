"""Estimates as people read them: on a terminal, and as report.md, .json, .csv and .html."""

from hanamikoji.report.schema import SCHEMA_VERSION, json_schema
from hanamikoji.report.write import FORMATS, Format, get_ready, show_brief, write_report

__all__ = [
    "FORMATS",
    "SCHEMA_VERSION",
    "Format",
    "get_ready",
    "json_schema",
    "show_brief",
    "write_report",
]
