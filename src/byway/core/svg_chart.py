"""SVG charts: line charts, bar charts and stacked bars.

Shapes have class names; the page's style sheet sets the colors. Each chart has a descriptive label.
All texts are passed in and escaped.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from byway.core.messages import grouped

LABEL_CHAR_WIDTH, MIN_LABEL_CHARS = 7, 5
MARGIN = 10
AXIS_HEIGHT, HEADING_HEIGHT = 24, 24
BAR_GAP = 1.5
ROW_WIDTH, ROW_HEIGHT = 720, 8
MAX_BAR_LABELS = 5

SVG = Markup(
    '<svg class="{}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img"'
    ' aria-label="{}">{}</svg>'
)
ROW = Markup('<svg class="{}" viewBox="0 0 720 8" preserveAspectRatio="none" {}>{}</svg>')
FILE_HEAD = Markup(
    "<title>{title}</title><style>text {{ font: 12px sans-serif; fill: #444 }}"
    " .grid {{ stroke: #ddd }} .line {{ fill: none; stroke: #1a5fb4; stroke-width: 2 }}</style>"
    '<rect width="{width}" height="{height}" fill="#fff"/><text x="{left}" y="18">{title}</text>'
)
GRID_LINE = Markup(
    '<line class="grid" x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
    '<text class="axis" x="{x:.1f}" y="{y:.1f}" dy=".32em" text-anchor="end">{text}</text>'
)
AXIS_LABEL = Markup('<text class="axis" x="{x:.1f}" y="{y}" text-anchor="{anchor}">{text}</text>')
DOT = Markup(
    '<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{title}</title></circle>'
)
BAR = Markup(
    '<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{}</title></rect>'
)


class Point(NamedTuple):
    """A point of a line chart; drawn as a dot if it has a title."""

    x: float
    y: float
    title: str = ""


class Segment(NamedTuple):
    """A bar or part of one; its class sets the color, its title is the tooltip."""

    css_class: str
    size: float
    title: str


class Tick(NamedTuple):
    """A labelled position on an axis."""

    at: float
    label: str


def count_ticks(maximum: float, steps: int) -> list[Tick]:
    """Ticks from 0 to at least the maximum: at most `steps` steps of 1, 2 or 5 times 10ⁿ."""
    step, factors = 1, (2, 2.5, 2)
    for n in range(60):
        if step * steps >= maximum:
            break
        step = int(step * factors[n % 3])
    values = [step * n for n in range(max(1, -int(-maximum // step)) + 1)]
    if step >= 1000:
        return [Tick(n, f"{grouped(n // 1000)} k" if n else "0") for n in values]
    return [Tick(n, grouped(n)) for n in values]


@dataclass(frozen=True, slots=True)
class _Axes:
    """The plotting area: maps values to pixels, with margins for the labels."""

    width: int
    height: int
    top: int
    left: int
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        return self.left + (self.width - MARGIN - self.left) * _share(value, self.x_range)

    def y(self, value: float) -> float:
        floor = self.height - AXIS_HEIGHT
        return floor - (floor - self.top) * _share(value, self.y_range)

    def grid(self, ticks: Iterable[Tick]) -> list[Markup]:
        left, right = self.left, self.width - MARGIN
        return [
            GRID_LINE.format(left=left, right=right, y=self.y(at), x=left - 6, text=label)
            for at, label in ticks
        ]

    def labels(self, ticks: Sequence[Tick]) -> list[Markup]:
        """The labels below the chart; the first and last stay within its width."""
        anchors = dict(zip(self.x_range, ("start", "end"), strict=True))
        return [
            AXIS_LABEL.format(
                x=self.x(at), y=self.height - 6, anchor=anchors.get(at, "middle"), text=label
            )
            for at, label in ticks
        ]


def line_chart(
    points: Sequence[Point],
    *,
    label: str,
    x_ticks: Sequence[Tick],
    y_ticks: Sequence[Tick],
    css_class: str = "chart",
    size: tuple[int, int] = (480, 140),
    filled: bool = False,
    stepped: bool = False,
    file_title: str = "",
) -> Markup:
    """A line chart.

    A `stepped` line stays level until the next point; a `filled` one has a colored area below it.
    With a `file_title`, the chart is a standalone file with a heading and its own colors.
    """
    axes = _Axes(
        *size,
        top=MARGIN + (HEADING_HEIGHT if file_title else 0),
        left=_left_margin(y_ticks),
        x_range=_range((point.x for point in points), x_ticks),
        y_range=_range((point.y for point in points), y_ticks),
    )
    shapes = [*axes.grid(y_ticks), *axes.labels(x_ticks), *_line(points, axes, filled, stepped)]
    if file_title:
        width, height = size
        head = FILE_HEAD.format(title=file_title, width=width, height=height, left=axes.left)
        shapes.insert(0, head)
    return _svg(shapes, label, size, css_class)


def bar_chart(
    bars: Sequence[Segment], *, label: str, bar_labels: Sequence[str], y_ticks: Sequence[Tick]
) -> Markup:
    """A bar chart; only a few bars have labels."""
    size = (720, 220)
    axes = _Axes(
        *size,
        top=MARGIN,
        left=_left_margin(y_ticks),
        x_range=(0, max(1, len(bars))),
        y_range=_range((bar.size for bar in bars), y_ticks),
    )
    shapes, step, floor = axes.grid(y_ticks), axes.x(1) - axes.x(0), axes.height - AXIS_HEIGHT
    for n, bar in enumerate(bars):
        shapes.append(_bar(bar, axes.x(n), axes.y(bar.size), step, floor - axes.y(bar.size)))
    every = max(1, -(-len(bars) // MAX_BAR_LABELS))
    shapes += axes.labels(
        [Tick(n + 0.5, bar_labels[n]) for n in range(every // 2, len(bars), every)]
    )
    return _svg(shapes, label, size, "chart")


def stacked_bar(segments: Sequence[Segment], *, label: str) -> Markup:
    """A full-width bar divided into segments."""
    accessible = Markup('role="img" aria-label="{}"').format(label)
    return ROW.format("stack", accessible, _row(segments, sum(each.size for each in segments)))


def row_bar(segments: Sequence[Segment], maximum: float) -> Markup:
    """A small bar for a table row."""
    return ROW.format("row", Markup('aria-hidden="true"'), _row(segments, maximum))


def _line(points: Sequence[Point], axes: _Axes, filled: bool, stepped: bool) -> Iterator[Markup]:
    placed = [(axes.x(point.x), axes.y(point.y)) for point in points]
    corners = placed[:1]
    for before, after in pairwise(placed):
        corners += [(after[0], before[1]), after] if stepped else [after]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    if filled and placed:
        floor = axes.height - AXIS_HEIGHT
        ends = f"{placed[-1][0]:.1f},{floor} {placed[0][0]:.1f},{floor}"
        yield Markup('<polygon class="area" points="{} {}"/>').format(line, ends)
    yield Markup('<polyline class="line" points="{}"/>').format(line)
    for point, (x, y) in zip(points, placed, strict=True):
        if point.title:
            yield DOT.format(x=x, y=y, title=point.title)


def _row(segments: Iterable[Segment], maximum: float) -> Markup:
    shapes, x = Markup(""), 0.0
    for segment in segments:
        if width := ROW_WIDTH * segment.size / max(1, maximum):
            shapes += _bar(segment, x, 0, width, ROW_HEIGHT)
        x += width
    return shapes


def _bar(bar: Segment, x: float, y: float, width: float, height: float) -> Markup:
    width = max(width - BAR_GAP, width * 0.6)
    return BAR.format(bar.css_class, x, y, width, height, bar.title)


def _svg(shapes: Iterable[Markup], label: str, size: tuple[int, int], css_class: str) -> Markup:
    return SVG.format(css_class, *size, label, Markup("").join(shapes))


def _left_margin(ticks: Iterable[Tick]) -> int:
    """The width of the left margin: fits the longest axis label, with a fixed minimum."""
    lengths = (len(tick.label) for tick in ticks)
    return MARGIN + LABEL_CHAR_WIDTH * max((MIN_LABEL_CHARS, *lengths))


def _range(values: Iterable[float], ticks: Iterable[Tick]) -> tuple[float, float]:
    found = [*values, *(tick.at for tick in ticks)]
    return min(found, default=0.0), max(found, default=0.0)


def _share(value: float, between: tuple[float, float]) -> float:
    """The position of a value in a range, from 0 to 1; 0.5 for an empty range."""
    low, high = between
    return (value - low) / (high - low) if high > low else 0.5
