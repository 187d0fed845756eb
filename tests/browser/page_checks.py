"""Checks of how a page looks: accessibility by axe, and its width."""

import json
from collections.abc import Sequence
from importlib.resources import files

from playwright.sync_api import Page

AXE_SCRIPT = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
WIDE_VIEWPORT, NARROW_VIEWPORT = {"width": 1180, "height": 900}, {"width": 390, "height": 844}
COLOR_RULES = ("color-contrast", "link-in-text-block")
"""The rules of axe that look at colors."""


def accessibility_violations(page: Page, rules: Sequence[str] = ()) -> list[tuple[str, list[str]]]:
    """Serious accessibility violations that axe finds, with their elements; all rules or these."""
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    # Passed checks are not reported: that is most of the time axe takes.
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = page.evaluate(
        f"axe.run(document, {json.dumps(options)}).then((found) => found.violations)"
    )
    return [
        (violation["id"], [node["html"][:200] for node in violation["nodes"][:3]])
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


def is_wider_than_window(page: Page) -> bool:
    """True if the page scrolls sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"))
