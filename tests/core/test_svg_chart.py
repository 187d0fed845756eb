"""Charts say what they show, stay inside their frame and escape their texts."""

import re
from xml.etree import ElementTree

import pytest

from byway.core.svg_chart import (
    Point,
    Segment,
    Tick,
    bar_chart,
    count_ticks,
    line_chart,
    row_bar,
    stacked_bar,
)

HOSTILE = '"><script>&'
LINE = [Point(1, 5), Point(2, 8, HOSTILE), Point(4, 0)]
BARS = [Segment("kept", 3, HOSTILE), Segment("failed", 0, "none"), Segment("queued", 7, "seven")]
TICKS = [Tick(0, "0"), Tick(10, HOSTILE)]
CHARTS = {
    "line": line_chart(LINE, label=HOSTILE, x_ticks=TICKS[:1], y_ticks=TICKS, filled=True),
    "steps": line_chart(LINE, label=HOSTILE, x_ticks=[], y_ticks=TICKS, stepped=True),
    "file": line_chart(LINE, label=HOSTILE, x_ticks=[], y_ticks=TICKS, file_title=HOSTILE),
    "one point": line_chart(LINE[:1], label="one", x_ticks=[], y_ticks=[]),
    "no point": line_chart([], label="none", x_ticks=[], y_ticks=[Tick(0, "0")], filled=True),
    "bars": bar_chart(BARS, label="bars", bar_labels=["a", HOSTILE, "c"], y_ticks=TICKS),
    "no bar": bar_chart([], label="none", bar_labels=[], y_ticks=TICKS),
    "stacked": stacked_bar(BARS, label="parts"),
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_an_image_with_a_label(name: str) -> None:
    drawing = ElementTree.fromstring(CHARTS[name])
    assert drawing.get("role") == "img"
    assert drawing.get("aria-label")
    assert "<script" not in CHARTS[name]


@pytest.mark.parametrize("name", CHARTS)
def test_every_shape_is_inside_the_frame(name: str) -> None:
    drawing = ElementTree.fromstring(CHARTS[name])
    width, height = map(float, drawing.get("viewBox", "").split()[2:])
    for shape in drawing.iter():
        for x, y in re.findall(r"([\d.-]+),([\d.-]+)", shape.get("points", "")):
            assert 0 <= float(x) <= width and 0 <= float(y) <= height
        for name, most in (("x", width), ("x2", width), ("cx", width), ("y", height)):
            assert 0 <= float(shape.get(name, 0)) <= most


def test_a_stepped_line_keeps_its_height_until_the_next_point() -> None:
    points = re.findall(r'polyline.*?points="(.*?)"', CHARTS["steps"])[0].split()
    ys = [point.split(",")[1] for point in points]
    assert ys[0] == ys[1] and ys[2] == ys[3] and len(ys) == 5


def test_the_bar_of_a_row_is_hidden_from_screen_readers() -> None:
    drawing = ElementTree.fromstring(row_bar(BARS, 20))
    assert drawing.get("aria-hidden") == "true"
    assert [rect.get("width") for rect in drawing] == ["106.50", "250.50"]


@pytest.mark.parametrize(
    ("maximum", "labels"),
    [
        (0, "0 1"),
        (0.4, "0 1"),
        (3, "0 1 2 3"),
        (4, "0 2 4"),
        (55, "0 20 40 60"),
        (151, "0 100 200"),
        (23_600, "0 10_k 20_k 30_k"),
        (3_000_000, "0 1,000_k 2,000_k 3,000_k"),
    ],
)
def test_ticks_are_round_numbers_up_to_the_maximum(maximum: float, labels: str) -> None:
    assert [tick.label.replace(" ", "_") for tick in count_ticks(maximum, 3)] == labels.split()
