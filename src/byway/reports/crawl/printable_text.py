"""Untrusted text of a report, made printable."""

MAX_TEXT_CHARS = 160


def printable_text(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Untrusted text without control characters (bidi, terminal colors), cut to `max_chars`."""
    text = "".join(char if char.isprintable() else " " for char in text[: max_chars + 1])
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"
