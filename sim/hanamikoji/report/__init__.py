"""Estimates as people read them: on a terminal, and as report.md, .json, .csv and .html."""

from hanamikoji.report.compare import compare
from hanamikoji.report.schema import SCHEMA_VERSION, json_schema
from hanamikoji.report.write import FORMATS, Format, get_ready, write_report

__all__ = [
    "FORMATS",
    "SCHEMA_VERSION",
    "Format",
    "compare",
    "get_ready",
    "json_schema",
    "write_report",
]
