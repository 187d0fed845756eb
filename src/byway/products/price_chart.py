"""Price history chart as SVG: a step line over the fetches of a page.

The style sheet has the colors: shapes have class names and no style. All values are escaped.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from markupsafe import Markup

from byway.core.display import format_date, format_price
from byway.core.messages import t
from byway.core.verticals import HistoryPoint

WIDTH, HEIGHT = 560, 180
LEFT_MARGIN, RIGHT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 96, 16, 14, 28

CHART_SVG = Markup(
    '<svg class="chart prices" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
    '{grid}<path class="line" d="{line}"/>{dots}{ends}</svg>'
)
GRID_LINE_SVG = Markup(
    '<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
    '<text class="axis" x="{x}" y="{y:.1f}" dy=".32em" text-anchor="end">{text}</text>'
)
DOT_SVG = Markup(
    '<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{text}</title></circle>'
)
AXIS_LABEL_SVG = Markup('<text class="axis" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')


def price_chart(prices: Sequence[HistoryPoint]) -> Markup | None:
    """The prices in the most frequent currency; None with fewer than two."""
    priced = [
        (at, str(record.get("currency", "")), float(price))
        for at, record in prices
        if isinstance(price := record.get("price"), int | float)
    ]
    if not priced:
        return None
    currency = Counter(each for _, each, _ in priced).most_common(1)[0][0]
    points = [(at, price) for at, each, price in priced if each == currency and price]
    if len(points) < 2:
        return None
    low, high = min(price for _, price in points), max(price for _, price in points)
    placed = [(_x(at, points), _y(price, low, high)) for at, price in points]
    ticks = [low, high] if high > low else [low]
    return CHART_SVG.format(
        width=WIDTH,
        height=HEIGHT,
        label=_label(points, currency),
        grid=Markup("").join(_grid(tick, _y(tick, low, high), currency) for tick in ticks),
        line=_steps(placed),
        dots=Markup("").join(
            DOT_SVG.format(x=x, y=y, text=f"{_date(at)}: {format_price(price, currency)}")
            for (x, y), (at, price) in zip(placed, points, strict=True)
        ),
        ends=_ends(points),
    )


def _label(points: Sequence[tuple[float, float]], currency: str) -> str:
    (first_at, first), (last_at, last) = points[0], points[-1]
    return t(
        "products.chart",
        first=format_price(first, currency),
        first_date=_date(first_at),
        last=format_price(last, currency),
        last_date=_date(last_at),
    )


def _x(at: float, points: Sequence[tuple[float, float]]) -> float:
    first, last = points[0][0], points[-1][0]
    return LEFT_MARGIN + (WIDTH - LEFT_MARGIN - RIGHT_MARGIN) * (at - first) / max(
        last - first, 1e-9
    )


def _y(price: float, low: float, high: float) -> float:
    room = HEIGHT - TOP_MARGIN - BOTTOM_MARGIN
    return TOP_MARGIN + room * ((high - price) / (high - low) if high > low else 0.5)


def _steps(placed: Sequence[tuple[float, float]]) -> str:
    """The path of a step line: a price holds until the next fetch."""
    pieces = [f"M{placed[0][0]:.1f},{placed[0][1]:.1f}"]
    pieces += [f"H{x:.1f}V{y:.1f}" for x, y in placed[1:]]
    return "".join(pieces)


def _grid(price: float, y: float, currency: str) -> Markup:
    text = format_price(price, currency)
    return GRID_LINE_SVG.format(
        left=LEFT_MARGIN, right=WIDTH - RIGHT_MARGIN, y=y, x=LEFT_MARGIN - 8, text=text
    )


def _ends(points: Sequence[tuple[float, float]]) -> Markup:
    y = HEIGHT - 8
    left = AXIS_LABEL_SVG.format(x=LEFT_MARGIN, y=y, anchor="start", text=_date(points[0][0]))
    return left + AXIS_LABEL_SVG.format(
        x=WIDTH - RIGHT_MARGIN, y=y, anchor="end", text=_date(points[-1][0])
    )


def _date(at: float) -> str:
    return format_date(datetime.fromtimestamp(at, UTC).date())
