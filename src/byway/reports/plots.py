"""SVG plots of a report, each with a title and a description in words.

Shapes have CSS classes and no styles: the page sets the colours. All values are escaped.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from byway.core.model.crawl_report import Timeline
from byway.core.number_format import (
    format_count,
    format_duration,
    format_percent,
    format_rate,
)

WIDTH, HEIGHT = 720, 220
LEFT_MARGIN, BOTTOM_MARGIN, TOP_MARGIN = 52, 24, 10
"""Margins around the bars, for the axis labels."""
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
    """A segment of a bar; `css_class` sets its colour."""

    css_class: str
    name: str
    pages: int


def timeline_plot(timeline: Timeline) -> Markup:
    """Bar chart of pages over time, with a bar per time bucket."""
    ticks = _ticks(max(timeline.pages, default=0))
    top, plot_height = ticks[-1], HEIGHT - TOP_MARGIN - BOTTOM_MARGIN
    step = (WIDTH - LEFT_MARGIN) / max(1, len(timeline.pages))
    labels = timeline.labels()
    shapes = [_grid(tick, HEIGHT - BOTTOM_MARGIN - plot_height * tick / top) for tick in ticks]
    for n, (count, when) in enumerate(zip(timeline.pages, labels, strict=True)):
        height = plot_height * count / top
        x, y = LEFT_MARGIN + n * step, HEIGHT - BOTTOM_MARGIN - height
        title = (
            f"{when}: {format_count(count, 'page')}, {format_rate(count / timeline.bucket_seconds)}"
        )
        shapes.append(_bar("kept", x, y, max(step - BAR_GAP, step * 0.6), height, title))
    shapes += _labels(labels, step)
    busiest = labels[timeline.pages.index(max(timeline.pages))] if timeline.pages else "never"
    desc = (
        f"{format_count(len(timeline.pages), 'bar')} of "
        f"{format_duration(timeline.bucket_seconds)} each. The busiest is "
        f"{busiest} with {format_count(max(timeline.pages, default=0), 'page')}."
    )
    return _svg("over-time", "Pages over time", desc, shapes, HEIGHT)


def stacked_bar(name: str, title: str, parts: Sequence[BarSegment], height: int = 28) -> Markup:
    """One bar with segments in proportion to their page counts."""
    total = sum(part.pages for part in parts)
    shapes, x = [], 0.0
    for part in parts:
        width = WIDTH * part.pages / total
        tooltip = f"{part.name}: {part.pages:,} ({format_percent(part.pages, total)})"
        shapes.append(
            _bar(part.css_class, x, 0, max(width - BAR_GAP, width * 0.6), height, tooltip)
        )
        x += width
    desc = "; ".join(f"{part.name} {part.pages:,}" for part in parts)
    return _svg(name, title, desc, shapes, height, IGNORE_ASPECT_RATIO)


def row_bar(parts: Sequence[BarSegment], maximum: int) -> Markup:
    """A bar for a table row, scaled by `maximum`; hidden from screen readers."""
    shapes, x = [], 0.0
    for part in parts:
        if width := 100 * part.pages / max(1, maximum):
            shapes.append(_bar(part.css_class, x, 0, width, 8, f"{part.name} {part.pages:,}"))
        x += width
    return ROW_SVG.format(Markup("").join(shapes))


def _svg(
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
        left=LEFT_MARGIN, right=WIDTH, y=y, x=LEFT_MARGIN - 8, text=f"{tick:,}"
    )


def _ticks(most: int) -> list[int]:
    """Axis ticks from 0 to at least `most`, in a few round steps."""
    step, round_steps = 1, (2, 2.5, 2)
    n = 0
    while step * TICK_COUNT < most:
        step = int(step * round_steps[n % 3])
        n += 1
    return [step * k for k in range(max(1, -(-most // step)) + 1)]


def _labels(labels: Sequence[str], step: float) -> list[Markup]:
    """Up to `MAX_TIME_LABELS` time labels, each below the middle of its bar."""
    label_step = max(1, -(-len(labels) // MAX_TIME_LABELS))
    return [
        LABEL_SVG.format(
            x=LEFT_MARGIN + (n + 0.5) * step, y=HEIGHT - 6, anchor="middle", text=labels[n]
        )
        for n in range(label_step // 2, len(labels), label_step)
    ]
