"""What a user did wrong, in one sentence: the command line prints it and exits with 2."""


class UserError(Exception):
    """A mistake in something the user gave us; its text is the whole message."""
