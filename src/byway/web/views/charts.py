"""Line charts as SVG, with a description for screen readers.

The style sheet has the colors: shapes have class names and no style. All values are escaped.
"""

from collections.abc import Sequence

from markupsafe import Markup

from byway.core.messages import decimal, t
from byway.web.views.formats import format_rough_duration

WIDTH, HEIGHT = 480, 140
LEFT_MARGIN, BOTTOM_MARGIN, TOP_MARGIN = 48, 24, 8
TICK_COUNT = 3

CHART_SVG = Markup(
    '<svg class="chart" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
    '{grid}<path class="area" d="{area}"/><path class="line" d="{line}"/>{ends}</svg>'
)
GRID_LINE_SVG = Markup(
    '<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
    '<text class="axis" x="{x}" y="{y:.1f}" dy=".32em" text-anchor="end">{text}</text>'
)
AXIS_LABEL_SVG = Markup('<text class="axis" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')


def chart(title: str, points: Sequence[tuple[float, float]]) -> Markup:
    """A line through (seconds, number) points."""
    top = _round_up(max((number for _, number in points), default=0))
    first, last = (points[0][0], points[-1][0]) if points else (0.0, 0.0)
    room = HEIGHT - TOP_MARGIN - BOTTOM_MARGIN
    placed = [
        (
            LEFT_MARGIN + (WIDTH - LEFT_MARGIN) * (at - first) / max(last - first, 1),
            HEIGHT - BOTTOM_MARGIN - room * number / top,
        )
        for at, number in points
    ]
    line = "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in placed) if placed else ""
    floor = HEIGHT - BOTTOM_MARGIN
    area = f"{line} L{placed[-1][0]:.1f},{floor} L{placed[0][0]:.1f},{floor}Z" if placed else ""
    ticks = (top * n / TICK_COUNT for n in range(TICK_COUNT + 1))
    now = points[-1][1] if points else 0
    return CHART_SVG.format(
        width=WIDTH,
        height=HEIGHT,
        label=t("web.chart.label", title=title, now=decimal(now, ",.3g"), top=decimal(top, ",.3g")),
        grid=Markup("").join(_grid(tick, floor - room * tick / top) for tick in ticks),
        line=line,
        area=area,
        ends=_ends(last - first),
    )


def rates(totals: Sequence[tuple[float, float]], window: int = 5) -> list[tuple[float, float]]:
    """The growth rate of a total, each over the last `window` points."""
    found = []
    for n in range(1, len(totals)):
        (before, less), (at, more) = totals[max(0, n - window)], totals[n]
        found.append((at, max(0.0, (more - less) / max(at - before, 0.001))))
    return found


def _round_up(most: float) -> float:
    """The top of the scale: at least 3, in steps of 1, 2 and 5."""
    step = 1.0
    while True:
        for times in (1, 2, 5):
            if step * times * TICK_COUNT >= most:
                return step * times * TICK_COUNT
        step *= 10


def _grid(tick: float, y: float) -> Markup:
    text = f"{decimal(tick / 1000, ',.0f')} k" if tick >= 10_000 else decimal(tick, ",.0f")
    return GRID_LINE_SVG.format(left=LEFT_MARGIN, right=WIDTH, y=y, x=LEFT_MARGIN - 6, text=text)


def _ends(seconds: float) -> Markup:
    ago = t("web.chart.ago", duration=format_rough_duration(seconds))
    left = AXIS_LABEL_SVG.format(x=LEFT_MARGIN, y=HEIGHT - 6, anchor="start", text=ago)
    return left + AXIS_LABEL_SVG.format(
        x=WIDTH, y=HEIGHT - 6, anchor="end", text=t("web.chart.now")
    )
