"""Names of the codes that the engine writes; no Numba here, so that everybody may import it."""

ROLES = ("starter", "second")
"""Who acts first in a game, and the other; a role is kept for the whole game."""

ROLE_OUTCOMES = ("starter", "second", "shared", "unfinished")
OUTCOMES = ("a", "b", "shared", "unfinished")

REASONS = (
    "charm",
    "geishas",
    "cap-geishas",
    "cap-charm",
    "cap-highest-geisha",
    "shared",
    "round-limit",
    "forfeit-error",
    "forfeit-illegal",
    "forfeit-stall",
)
"""How a game ended, see `hanamikoji schema`; a forfeit counts as a loss for the agent at fault."""

WON_STARTER, WON_SECOND, SHARED, UNFINISHED = range(4)
(
    BY_CHARM,
    BY_GEISHAS,
    CAP_GEISHAS,
    CAP_CHARM,
    CAP_HIGHEST,
    BY_SHARING,
    ROUND_LIMIT,
    FORFEIT_ERROR,
    FORFEIT_ILLEGAL,
    FORFEIT_STALL,
) = range(10)
