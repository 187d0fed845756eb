"""`byway rank`: PageRank of the crawl, or of an edge list."""

from collections.abc import Sequence
from math import ceil, floor, log10
from pathlib import Path
from typing import Annotated

import typer

from byway.app.edge_list import RankedEdgeList, rank_edge_list_file
from byway.cli.support import options
from byway.cli.support.crawl_session import open_engine
from byway.cli.support.options import require_file, require_writable, settings_from_options
from byway.cli.support.output import counted, out, print_json, print_notice, progress, sanitize
from byway.core.errors import UsageError
from byway.core.messages import decimal, t
from byway.core.svg_chart import Point, Tick, line_chart

PANEL = "Rank and evaluate"
ORDER = 1
MAX_AXIS_STEPS = 8
MIN_PLOTTED_RESIDUAL = 1e-18
"""A residual of 0 is drawn as this value."""

EdgesOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Rank this edge list (.tsv, .npy or .parquet) instead."),
]
OutputFileOption = Annotated[
    Path | None,
    typer.Option("--output", metavar="FILE", help="Write ranks to a .tsv, .npy or .parquet file."),
]
NodeCountOption = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        min=1,
        max=2**31 - 1,
        help="Number of nodes, numbered 0 to N-1, including nodes without edges.",
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE.svg", help="Plot the convergence (residual of each iteration)."),
]


def command(
    edges: EdgesOption = None,
    output_file: OutputFileOption = None,
    node_count: NodeCountOption = None,
    plot: PlotOption = None,
    data: options.DataOption = options.DEFAULT_DATA_DIR,
    set: options.SetOption = None,
    json: options.JsonOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Compute PageRank for pages, hosts and sites.

    Searches use the new ranks immediately.
    """
    _check(edges, output_file, node_count, plot)
    settings = settings_from_options(data, set).rank
    residuals: list[float] = []
    with progress(t("cli.rank.ranking")) as line:

        def report(iteration: int, residual: float) -> None:
            residuals.append(residual)
            text = t("cli.rank.iteration", number=iteration, residual=decimal(residual, ".1e"))
            if edges or verbose:
                print_notice(text)
            line.update(text)

        if edges:
            ranked: RankedEdgeList | int = rank_edge_list_file(
                edges, settings, report, output_file, node_count
            )
        else:
            ranked = open_engine(data, set).rank(report)
    if plot and residuals:
        plot.write_text(convergence_svg(residuals), encoding="utf-8")
    if residuals and residuals[-1] >= settings.tolerance:
        residual = decimal(residuals[-1], ".1e")
        print_notice(t("cli.rank.not_converged", count=len(residuals), residual=residual))
    _print_ranks(ranked, residuals, output_file, json)


def convergence_svg(residuals: Sequence[float]) -> str:
    """The residuals of all iterations on a logarithmic scale, as an SVG file."""
    powers = [log10(max(residual, MIN_PLOTTED_RESIDUAL)) for residual in residuals]
    low, high = floor(min(powers)), ceil(max(powers))
    count, title = len(residuals), t("pagerank.plot.title")
    description = t(
        "pagerank.plot.description", count=count, first=residuals[0], last=residuals[-1]
    )
    return line_chart(
        [Point(n, power) for n, power in enumerate(powers, 1)],
        label=f"{title}. {description}",
        x_ticks=[Tick(n, str(n)) for n in _axis_values(1, count)],
        y_ticks=[Tick(power, f"1e{power}") for power in _axis_values(low, max(high, low + 1))],
        size=(720, 320),
        file_title=title,
    )


def _axis_values(first: int, last: int) -> range:
    return range(first, last + 1, max(1, ceil((last - first) / MAX_AXIS_STEPS)))


def _check(
    edges: Path | None, output_file: Path | None, node_count: int | None, plot: Path | None
) -> None:
    """Check the files before the work starts."""
    if not edges and (output_file or node_count):
        raise UsageError("cli.rank_without_edges")
    if edges:
        require_file(edges, "cli.edges_file")
    require_writable(output_file, plot)
    if edges and output_file and output_file.exists() and output_file.samefile(edges):
        raise UsageError("cli.rank_output_is_input", path=output_file)
    if plot and plot.suffix.lower() != ".svg":
        raise UsageError("cli.plot_not_svg", path=plot)


def _print_ranks(
    ranked: RankedEdgeList | int, residuals: Sequence[float], output_file: Path | None, json: bool
) -> None:
    node_count = ranked if isinstance(ranked, int) else ranked.node_count
    top = [] if output_file or isinstance(ranked, int) else ranked.top_nodes
    if json:
        links = {} if isinstance(ranked, int) else {"link_count": ranked.link_count}
        iterations = {"iterations": len(residuals), "residuals": list(residuals)}
        nodes = {"top": [{"id": id, "rank": rank} for id, rank in top]} if top else {}
        print_json({"node_count": node_count} | links | iterations | nodes)
        return
    iterations_text = counted("iterations", len(residuals))
    if isinstance(ranked, int):
        pages = counted("pages", node_count)
        out.print(t("cli.rank.pages_ranked", pages=pages, iterations=iterations_text))
        return
    nodes_text, links_text = counted("nodes", node_count), counted("links", ranked.link_count)
    out.print(t("cli.rank.ranked", nodes=nodes_text, links=links_text, iterations=iterations_text))
    for id, rank in top:
        out.print(f"{rank:.6f}  {sanitize(str(id))}", markup=False)
