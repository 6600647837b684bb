"""For agents' authors: ``check_agent("my-agent")`` in a test reports what is wrong."""

from hanamikoji.tools.check import CheckReport, VariantCheck, check_agent, check_variants

__all__ = ["CheckReport", "VariantCheck", "check_agent", "check_variants"]
