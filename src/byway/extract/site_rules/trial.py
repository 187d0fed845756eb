"""What does a rule make of a page? What it finds, what it misses, what finds nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from byway.core.content_encoding import decode_body
from byway.core.model import Document, Page, Url
from byway.core.model.message import NO_REASON, Reason
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import detect_format, extract
from byway.extract.formats.html.dom import parse_html
from byway.extract.site_rules.rule import SiteRule, extract_value
from byway.products.reader.dispatch import NAMES_FIELD, VALUES_FIELD

MATCH_ALL_RULE = replace(SiteRule(), css="*")
"""A rule that is for every page, and says nothing."""


@dataclass(frozen=True, slots=True)
class SiteRuleTrial:
    """A rule, tried on one page."""

    url: Url
    unmet_condition: str
    """The condition that the page does not meet: it is not a page for this rule."""
    values: dict[str, object]
    """The value of each field; None where there is none."""
    selector_counts: tuple[tuple[str, str, int], ...]
    """Each selector with its key, and how many elements it finds."""
    link_counts: tuple[int, int]
    """How many links of the page may be followed, and how many there are."""
    document: Document | None
    failure: Reason = NO_REASON

    @property
    def unmatched_selectors(self) -> tuple[tuple[str, str], ...]:
        """The selectors that find nothing."""
        return tuple((key, selector) for key, selector, count in self.selector_counts if not count)

    @property
    def missing_fields(self) -> tuple[str, ...]:
        """The fields that have no value."""
        return tuple(name for name, value in self.values.items() if value in (None, "", []))

    @property
    def unpaired_counts(self) -> tuple[int, int] | None:
        """How many names and how many values of attributes there are, if each is not one's own."""
        names, values = self.values.get(NAMES_FIELD), self.values.get(VALUES_FIELD)
        if not (isinstance(names, list) and isinstance(values, list)):
            return None
        return (len(names), len(values)) if len(names) != len(values) else None


def run_trial(
    rule: SiteRule, page: Page, settings: ExtractSettings, max_bytes: int
) -> SiteRuleTrial:
    """Try a rule on a page, whether or not it is one for it."""
    body = decode_body(page.body, page.header("content-encoding"), max_bytes)
    if detect_format(page, body) != "html":
        return SiteRuleTrial(page.url, "", {}, (), (0, 0), None, Reason("not_html"))
    tree = parse_html(body, page.header("content-type"))
    fields = rule.fields.items()
    found = {
        name: extract_value(name, field, tree, page.fetched_at) or None for name, field in fields
    }
    counted = tuple((key, css, len(tree.select(css))) for key, css in selectors_of(rule))
    everywhere = replace(rule, hosts=(), urls=(), css="*")
    read = extract(page, settings, max_bytes, [everywhere])
    plain = extract(page, settings, max_bytes, [MATCH_ALL_RULE])
    links = (len(read.links), len(plain.links))
    misfit = rule.unmet_condition(page.url, tree)
    return SiteRuleTrial(page.url, misfit, found, counted, links, read.document, read.failure)


def selectors_of(rule: SiteRule) -> Iterator[tuple[str, str]]:
    """Every selector of a rule with the key it stands under."""
    yield from ((key, css) for key in ("title", "main") if (css := getattr(rule, key)))
    yield from (("drop", css) for css in rule.drop)
    if rule.css:
        yield "match.css", rule.css
    if rule.always:
        yield "links.always", rule.always
    for name, field in rule.fields.items():
        yield from ((f"fields.{name}.css", css) for css in field.css)
