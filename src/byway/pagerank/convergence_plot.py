"""Convergence plot: the change of the ranks in each iteration, as SVG."""

from collections.abc import Sequence
from math import ceil, floor, log10

from byway.core.messages import t

WIDTH, HEIGHT = 720, 320
LEFT_MARGIN, RIGHT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 64, 16, 32, 40
"""Margins around the curve in pixels."""
MAX_AXIS_LABELS = 8
MIN_PLOTTED_DELTA = 1e-18
"""A change of 0 is drawn as this value."""

SVG_TEMPLATE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
 aria-labelledby="title desc" font-family="sans-serif" font-size="12" fill="#444">
<title id="title">{title}</title>
<desc id="desc">{desc}</desc>
<rect width="{width}" height="{height}" fill="#fff"/>
<text x="{left}" y="18" font-size="14">{title}</text>
{shapes}
<polyline points="{points}" fill="none" stroke="#1a5fb4" stroke-width="2"/>
</svg>
"""


def convergence_svg(deltas: Sequence[float]) -> str:
    """The changes of all iterations on a logarithmic scale, as an SVG file."""
    powers = [log10(max(delta, MIN_PLOTTED_DELTA)) for delta in deltas]
    low, high = floor(min(powers)), max(ceil(max(powers)), floor(min(powers)) + 1)

    def x(iteration: int) -> float:
        return LEFT_MARGIN + (WIDTH - LEFT_MARGIN - RIGHT_MARGIN) * (iteration - 1) / max(
            1, len(deltas) - 1
        )

    def y(power: float) -> float:
        return TOP_MARGIN + (HEIGHT - TOP_MARGIN - BOTTOM_MARGIN) * (high - power) / (high - low)

    shapes = [_grid_line(power, y(power)) for power in _ticks(low, high)]
    shapes += [_label(x(iteration), iteration) for iteration in _ticks(1, len(deltas))]
    points = " ".join(f"{x(n):.1f},{y(power):.1f}" for n, power in enumerate(powers, 1))
    desc = t("pagerank.plot.description", count=len(deltas), first=deltas[0], last=deltas[-1])
    return SVG_TEMPLATE.format(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT_MARGIN,
        title=t("pagerank.plot.title"),
        desc=desc,
        shapes="\n".join(shapes),
        points=points,
    )


def _ticks(first: int, last: int) -> range:
    """At most MAX_AXIS_LABELS + 1 integers from the first to the last."""
    return range(first, last + 1, max(1, ceil((last - first) / MAX_AXIS_LABELS)))


def _grid_line(power: int, y: float) -> str:
    return (
        f'<line x1="{LEFT_MARGIN}" x2="{WIDTH - RIGHT_MARGIN}" '
        f'y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        f'<text x="{LEFT_MARGIN - 8}" y="{y:.1f}" dy=".32em" text-anchor="end">1e{power}</text>'
    )


def _label(x: float, iteration: int) -> str:
    return f'<text x="{x:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{iteration}</text>'
