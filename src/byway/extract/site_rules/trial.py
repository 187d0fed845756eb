"""Site rule trial on a page: reports values, missing fields and selectors that find nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from byway.core.content_encoding import decode_body
from byway.core.media_types import HTML
from byway.core.messages import NO_REASON, Reason
from byway.core.model import Document, Page, Url
from byway.core.settings.schema import ExtractSettings
from byway.core.verticals import Vertical
from byway.extract.dispatch import detect_format, extract
from byway.extract.formats.html.dom import parse_html
from byway.extract.site_rules.rule import PAIRED_FIELDS, SiteRule, extract_value

MATCH_ALL_RULE = replace(SiteRule(), css="*")
"""A rule that matches every page and changes nothing."""


@dataclass(frozen=True, slots=True)
class SiteRuleTrial:
    """The result of trying a rule on one page."""

    url: Url
    unmet_condition: str
    """The condition that the page does not meet; the rule is tried anyway."""
    values: dict[str, object]
    """The value of each field; None if it is missing."""
    selector_counts: tuple[tuple[str, str, int], ...]
    """Key and text of each selector, and the number of elements it finds."""
    link_counts: tuple[int, int]
    """The number of links that may be followed, and the total."""
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
        """The counts of attribute names and values, if they differ and so cannot be paired."""
        names, values = map(self.values.get, PAIRED_FIELDS)
        if not (isinstance(names, list) and isinstance(values, list)):
            return None
        return (len(names), len(values)) if len(names) != len(values) else None


def run_trial(
    rule: SiteRule,
    page: Page,
    settings: ExtractSettings,
    max_bytes: int,
    verticals: Sequence[Vertical] = (),
) -> SiteRuleTrial:
    """Try a rule on a page, whether or not it matches."""
    body = decode_body(page.body, page.header("content-encoding"), max_bytes)
    if detect_format(page, body) != HTML:
        return SiteRuleTrial(
            url=page.url,
            unmet_condition="",
            values={},
            selector_counts=(),
            link_counts=(0, 0),
            document=None,
            failure=Reason("not_html"),
        )
    tree = parse_html(body, page.header("content-type"))
    fields = rule.fields.items()
    always_matching = replace(rule, hosts=(), urls=(), css="*")
    with_rule = extract(page, settings, max_bytes, [always_matching], verticals)
    without_rule = extract(page, settings, max_bytes, [MATCH_ALL_RULE])
    return SiteRuleTrial(
        url=page.url,
        unmet_condition=rule.unmet_condition(page.url, tree),
        values={
            name: extract_value(name, field, tree, page.fetched_at) or None
            for name, field in fields
        },
        selector_counts=tuple((key, css, len(tree.select(css))) for key, css in selectors_of(rule)),
        link_counts=(len(with_rule.links), len(without_rule.links)),
        document=with_rule.document,
        failure=with_rule.failure,
    )


def selectors_of(rule: SiteRule) -> Iterator[tuple[str, str]]:
    """Every selector of a rule with its key."""
    yield from ((key, css) for key in ("title", "main") if (css := getattr(rule, key)))
    yield from (("drop", css) for css in rule.drop)
    if rule.css:
        yield "match.css", rule.css
    if rule.always:
        yield "links.always", rule.always
    for name, field in rule.fields.items():
        yield from ((f"fields.{name}.css", css) for css in field.css)
