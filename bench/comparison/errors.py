"""Errors of a comparison."""


class ComparisonError(Exception):
    """The comparison cannot go on; the message is one line that says why."""
