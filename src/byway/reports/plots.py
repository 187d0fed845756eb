"""How do figures look? Small SVG drawings that say in words, too, what they show.

Colours are the page's: shapes carry class names and no style. Everything put in is escaped.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from byway.core.number_format import moments, number, rate, share, stretch
from byway.reports.crawl.report import Timeline

WIDTH, HEIGHT = 720, 220
LEFT, BOTTOM, TOP = 52, 24, 10
"""Room around the bars, for what is written on the axes."""
TICKS = 4
LABELS = 5
GAP = 1.5

KEEP, STRETCH = Markup(""), Markup('preserveAspectRatio="none" ')
DRAWING = Markup(
    '<svg viewBox="0 0 {width} {height}" {fit}role="img" '
    'aria-labelledby="{name}-title {name}-desc">'
    '<title id="{name}-title">{title}</title><desc id="{name}-desc">{desc}</desc>{shapes}</svg>'
)
BAR = Markup(
    '<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}">'
    "<title>{title}</title></rect>"
)
GRID = Markup(
    '<line class="grid" x1="{left}" x2="{right}" y1="{y:.2f}" y2="{y:.2f}"/>'
    '<text class="axis" x="{x}" y="{y:.2f}" dy=".32em" text-anchor="end">{text}</text>'
)
ROW = Markup(
    '<svg class="row" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
)
LABEL = Markup('<text class="axis" x="{x:.2f}" y="{y}" text-anchor="{anchor}">{text}</text>')


class Part(NamedTuple):
    """A piece of a bar: `kind` is its class, which gives it a colour."""

    kind: str
    name: str
    number: int


def over_time(bars: Timeline) -> Markup:
    """Pages over time, a bar for each stretch."""
    ticks = _ticks(max(bars.pages, default=0))
    top, room = ticks[-1], HEIGHT - TOP - BOTTOM
    step = (WIDTH - LEFT) / max(1, len(bars.pages))
    whens = moments(bars)
    shapes = [_grid(tick, HEIGHT - BOTTOM - room * tick / top) for tick in ticks]
    for n, (count, when) in enumerate(zip(bars.pages, whens, strict=True)):
        height = room * count / top
        x, y = LEFT + n * step, HEIGHT - BOTTOM - height
        title = f"{when}: {number(count, 'page')}, {rate(count / bars.width)}"
        shapes.append(_bar("kept", x, y, max(step - GAP, step * 0.6), height, title))
    shapes += _labels(whens, step)
    busiest = whens[bars.pages.index(max(bars.pages))] if bars.pages else "never"
    desc = (
        f"{number(len(bars.pages), 'bar')} of {stretch(bars.width)} each. The busiest is "
        f"{busiest} with {number(max(bars.pages, default=0), 'page')}."
    )
    return _drawing("over-time", "Pages over time", desc, shapes, HEIGHT)


def stacked(name: str, title: str, parts: Sequence[Part], height: int = 28) -> Markup:
    """One bar, cut into parts as wide as their numbers."""
    whole = sum(part.number for part in parts)
    shapes, x = [], 0.0
    for part in parts:
        width = WIDTH * part.number / whole
        said = f"{part.name}: {part.number:,} ({share(part.number, whole)})"
        shapes.append(_bar(part.kind, x, 0, max(width - GAP, width * 0.6), height, said))
        x += width
    desc = "; ".join(f"{part.name} {part.number:,}" for part in parts)
    return _drawing(name, title, desc, shapes, height, STRETCH)


def row(parts: Sequence[Part], most: int) -> Markup:
    """A bar for a row of a table, against the longest of them; the row's numbers say the rest."""
    shapes, x = [], 0.0
    for part in parts:
        if width := 100 * part.number / max(1, most):
            shapes.append(_bar(part.kind, x, 0, width, 8, f"{part.name} {part.number:,}"))
        x += width
    return ROW.format(Markup("").join(shapes))


def _drawing(
    name: str, title: str, desc: str, shapes: Sequence[Markup], height: int, fit: Markup = KEEP
) -> Markup:
    return DRAWING.format(
        fit=fit,
        name=name,
        title=title,
        desc=desc,
        width=WIDTH,
        height=height,
        shapes=Markup("").join(shapes),
    )


def _bar(kind: str, x: float, y: float, width: float, height: float, title: str) -> Markup:
    return BAR.format(kind=kind, x=x, y=y, width=width, height=height, title=title)


def _grid(tick: int, y: float) -> Markup:
    return GRID.format(left=LEFT, right=WIDTH, y=y, x=LEFT - 8, text=f"{tick:,}")


def _ticks(most: int) -> list[int]:
    """From 0 to at least `most` in a few round steps."""
    step, round_steps = 1, (2, 2.5, 2)
    n = 0
    while step * TICKS < most:
        step = int(step * round_steps[n % 3])
        n += 1
    return [step * k for k in range(max(1, -(-most // step)) + 1)]


def _labels(whens: Sequence[str], step: float) -> list[Markup]:
    """A few of the moments, each below the middle of its bar; all when there are few bars."""
    every = max(1, -(-len(whens) // LABELS))
    return [
        LABEL.format(x=LEFT + (n + 0.5) * step, y=HEIGHT - 6, anchor="middle", text=whens[n])
        for n in range(every // 2, len(whens), every)
    ]
