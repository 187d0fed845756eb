"""Which numbers are worth finding?

Prices, article numbers and counters fill an index and are asked for hardly ever. The terms of a
document pass here on their way into the index, and those of a query on theirs.

>>> [term for term in ("room", "42", "2024", "9000", "31415926", "x86") if worth_finding(term)]
['room', '42', '2024', 'x86']
"""

SHORT = 3
"""Digits of a number that is kept whatever it is: chapters, versions, sizes."""


def worth_finding(term: str) -> bool:
    """Is this a word, a short number, or one that may be a year (1000 to 2999)?"""
    return not term.isdigit() or len(term) <= SHORT or (len(term) == 4 and term[0] in "12")
