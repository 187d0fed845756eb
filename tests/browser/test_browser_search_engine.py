"""Can a browser search with byway? What Chromium's own settings say after a visit."""

from playwright.sync_api import Page, expect


def test_a_browser_can_add_the_search_engine(profile: Page, address: str) -> None:
    profile.goto(address)
    profile.wait_for_load_state("networkidle")
    profile.goto("chrome://settings/searchEngines")
    # The name is from the description; what Chromium makes of a form has the host's.
    engine = profile.locator("settings-search-engine-entry", has_text="byway")
    asked = engine.locator("#url-column")
    expect(asked).to_have_text(f"{address}search?q=%s")
    profile.get_by_text("Inactive shortcuts").click()
    engine.get_by_role("button", name="Click to activate byway").click()
    expect(engine.locator("#shortcut-column")).to_have_text("127.0.0.1")
    expect(engine.locator("#shortcut-column")).to_be_visible()
    template = asked.text_content() or ""
    profile.goto(template.strip().replace("%s", "inverted+index"))
    expect(profile.locator(".hit h2 a").first).to_have_text("Inverted index")
