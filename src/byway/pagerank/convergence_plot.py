"""How did the ranks come to rest? A small SVG drawing: how much they moved, round after round."""

from collections.abc import Sequence
from math import ceil, floor, log10

WIDTH, HEIGHT = 720, 320
LEFT_MARGIN, RIGHT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 64, 16, 32, 40
"""Room around the curve."""
MAX_AXIS_LABELS = 8
MIN_PLOTTED_DELTA = 1e-18
"""What did not move at all is drawn as if it had moved this much."""

SVG_TEMPLATE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
 aria-labelledby="title desc" font-family="sans-serif" font-size="12" fill="#444">
<title id="title">How much the ranks moved in each round</title>
<desc id="desc">{desc}</desc>
<rect width="{width}" height="{height}" fill="#fff"/>
<text x="{left}" y="18" font-size="14">How much the ranks moved in each round</text>
{shapes}
<polyline points="{points}" fill="none" stroke="#1a5fb4" stroke-width="2"/>
</svg>
"""


def convergence_svg(deltas: Sequence[float]) -> str:
    """The curve of a ranking's rounds, on a log scale, as an SVG file."""
    powers = [log10(max(by, MIN_PLOTTED_DELTA)) for by in deltas]
    low, high = floor(min(powers)), max(ceil(max(powers)), floor(min(powers)) + 1)

    def x(round: int) -> float:
        return LEFT_MARGIN + (WIDTH - LEFT_MARGIN - RIGHT_MARGIN) * (round - 1) / max(
            1, len(deltas) - 1
        )

    def y(power: float) -> float:
        return TOP_MARGIN + (HEIGHT - TOP_MARGIN - BOTTOM_MARGIN) * (high - power) / (high - low)

    shapes = [_line(power, y(power)) for power in _some(low, high)]
    shapes += [_label(x(round), round) for round in _some(1, len(deltas))]
    points = " ".join(f"{x(n):.1f},{y(power):.1f}" for n, power in enumerate(powers, 1))
    desc = (
        f"{len(deltas)} rounds, from {deltas[0]:.1e} in the first to {deltas[-1]:.1e} in the last."
    )
    return SVG_TEMPLATE.format(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT_MARGIN,
        desc=desc,
        shapes="\n".join(shapes),
        points=points,
    )


def _some(first: int, last: int) -> range:
    """A few whole numbers from the first to the last."""
    return range(first, last + 1, max(1, ceil((last - first) / MAX_AXIS_LABELS)))


def _line(power: int, y: float) -> str:
    return (
        f'<line x1="{LEFT_MARGIN}" x2="{WIDTH - RIGHT_MARGIN}" '
        f'y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        f'<text x="{LEFT_MARGIN - 8}" y="{y:.1f}" dy=".32em" text-anchor="end">1e{power}</text>'
    )


def _label(x: float, round: int) -> str:
    return f'<text x="{x:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{round}</text>'
