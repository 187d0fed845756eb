"""SVG plots with text alternatives.

The page sets the colors: shapes have class names and no style. All inserted text is escaped.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from byway.core.messages import grouped, t
from byway.core.number_format import format_percent, format_rate
from byway.reports.crawl.report import Timeline
from byway.reports.crawl.timeline import timeline_labels

WIDTH, HEIGHT = 720, 220
LEFT_MARGIN, BOTTOM_MARGIN, TOP_MARGIN = 52, 24, 10
"""Margins for the axis labels."""
TICK_COUNT = 4
MAX_TIME_LABELS = 5
BAR_GAP = 1.5

KEEP_ASPECT_RATIO, IGNORE_ASPECT_RATIO = Markup(""), Markup('preserveAspectRatio="none" ')
PLOT_SVG = Markup(
    '<svg viewBox="0 0 {width} {height}" {fit}role="img" '
    'aria-labelledby="{name}-title {name}-desc">'
    '<title id="{name}-title">{title}</title><desc id="{name}-desc">{desc}</desc>{shapes}</svg>'
)
BAR_SVG = Markup(
    '<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}">'
    "<title>{title}</title></rect>"
)
GRID_LINE_SVG = Markup(
    '<line class="grid" x1="{left}" x2="{right}" y1="{y:.2f}" y2="{y:.2f}"/>'
    '<text class="axis" x="{x}" y="{y:.2f}" dy=".32em" text-anchor="end">{text}</text>'
)
ROW_SVG = Markup(
    '<svg class="row" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
)
LABEL_SVG = Markup('<text class="axis" x="{x:.2f}" y="{y}" text-anchor="{anchor}">{text}</text>')


class BarSegment(NamedTuple):
    """A segment of a bar; its CSS class sets the color."""

    css_class: str
    name: str
    pages: int


def timeline_plot(timeline: Timeline) -> Markup:
    """Bar plot of pages over time."""
    ticks = _ticks(max(timeline.pages, default=0))
    top, room = ticks[-1], HEIGHT - TOP_MARGIN - BOTTOM_MARGIN
    step = (WIDTH - LEFT_MARGIN) / max(1, len(timeline.pages))
    whens = timeline_labels(timeline)
    shapes = [_grid(tick, HEIGHT - BOTTOM_MARGIN - room * tick / top) for tick in ticks]
    for n, (count, when) in enumerate(zip(timeline.pages, whens, strict=True)):
        height = room * count / top
        x, y = LEFT_MARGIN + n * step, HEIGHT - BOTTOM_MARGIN - height
        rate = format_rate(count / timeline.bucket_seconds)
        title = f"{when}: {t('cli.count.pages', count=count)}, {rate}"
        shapes.append(_bar("kept", x, y, max(step - BAR_GAP, step * 0.6), height, title))
    shapes += _labels(whens, step)
    most = max(timeline.pages, default=0)
    description = t(
        "reports.crawl.timeline_description",
        count=len(timeline.pages),
        bucket=timeline.bucket_seconds,
        busiest=whens[timeline.pages.index(most)] if timeline.pages else "–",
        pages=t("cli.count.pages", count=most),
    )
    return _drawing("over-time", t("reports.crawl.timeline"), description, shapes, HEIGHT)


def stacked_bar(name: str, title: str, parts: Sequence[BarSegment], height: int = 28) -> Markup:
    """One bar of segments, each as wide as its share."""
    whole = sum(part.pages for part in parts)
    shapes, x = [], 0.0
    for part in parts:
        width = WIDTH * part.pages / whole
        title_text = f"{part.name}: {grouped(part.pages)} ({format_percent(part.pages, whole)})"
        bar_width = max(width - BAR_GAP, width * 0.6)
        shapes.append(_bar(part.css_class, x, 0, bar_width, height, title_text))
        x += width
    desc = "; ".join(f"{part.name} {grouped(part.pages)}" for part in parts)
    return _drawing(name, title, desc, shapes, height, IGNORE_ASPECT_RATIO)


def row_bar(parts: Sequence[BarSegment], maximum: int) -> Markup:
    """The bar of a table row, relative to the longest one."""
    shapes, x = [], 0.0
    for part in parts:
        if width := 100 * part.pages / max(1, maximum):
            title = f"{part.name} {grouped(part.pages)}"
            shapes.append(_bar(part.css_class, x, 0, width, 8, title))
        x += width
    return ROW_SVG.format(Markup("").join(shapes))


def _drawing(
    name: str,
    title: str,
    desc: str,
    shapes: Sequence[Markup],
    height: int,
    fit: Markup = KEEP_ASPECT_RATIO,
) -> Markup:
    return PLOT_SVG.format(
        fit=fit,
        name=name,
        title=title,
        desc=desc,
        width=WIDTH,
        height=height,
        shapes=Markup("").join(shapes),
    )


def _bar(kind: str, x: float, y: float, width: float, height: float, title: str) -> Markup:
    return BAR_SVG.format(kind=kind, x=x, y=y, width=width, height=height, title=title)


def _grid(tick: int, y: float) -> Markup:
    return GRID_LINE_SVG.format(
        left=LEFT_MARGIN, right=WIDTH, y=y, x=LEFT_MARGIN - 8, text=grouped(tick)
    )


def _ticks(most: int) -> list[int]:
    """Axis ticks from 0 to at least `most`, in round steps."""
    step, round_steps = 1, (2, 2.5, 2)
    n = 0
    while step * TICK_COUNT < most:
        step = int(step * round_steps[n % 3])
        n += 1
    return [step * k for k in range(max(1, -(-most // step)) + 1)]


def _labels(whens: Sequence[str], step: float) -> list[Markup]:
    """Time labels below some of the bars, or below all if there are few."""
    every = max(1, -(-len(whens) // MAX_TIME_LABELS))
    return [
        LABEL_SVG.format(
            x=LEFT_MARGIN + (n + 0.5) * step, y=HEIGHT - 6, anchor="middle", text=whens[n]
        )
        for n in range(every // 2, len(whens), every)
    ]
