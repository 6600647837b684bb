"""What verdicts rest on beside the games, worked out once before they are played.

For each variant in which a trained agent (`learned`, or a search that it guides) meets itself: the
exact value if the variant can be solved within seconds, else quick attacks on the agent; and a
second training where its weights are not shipped. The findings are files beside the games.
"""

from hanamikoji.run.assurance.stage import Subject, assure, subjects

__all__ = ["Subject", "assure", "subjects"]
