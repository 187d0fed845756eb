"""How pages are looked at: by axe, in a wide window and in a narrow one."""

from importlib.resources import files

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
WIDE, NARROW = {"width": 1180, "height": 900}, {"width": 390, "height": 844}
