"""Estimates as people read them: on a terminal, and as report.md, .json, .csv and .html."""

from hanamikoji.report.write import FORMATS, Format, write_report

__all__ = ["FORMATS", "Format", "write_report"]
