"""Two refusals that a browser should tell from a mistake: what is not there, and what cannot be done just now."""

from cole.errors import UserError


class Missing(UserError):
    """There is no such thing."""


class Busy(UserError):
    """Later, perhaps."""
