"""How pages are looked at: by axe, in a wide window and in a narrow one."""

from importlib.resources import files

from playwright.sync_api import Page

AXE_SCRIPT = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
WIDE_VIEWPORT, NARROW_VIEWPORT = {"width": 1180, "height": 900}, {"width": 390, "height": 844}

# What passed is not worked out in full, nor handed over: that is most of the time it takes.
RUN_AXE_SCRIPT = (
    "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)"
)


def accessibility_violations(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds on a page that keeps somebody out, and where."""
    page.evaluate(AXE_SCRIPT)
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
        for one in page.evaluate(RUN_AXE_SCRIPT)
        if one["impact"] in ("serious", "critical")
    ]
