"""Rank: what do the links say about the pages?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from byway.cli.support.crawl_session import open_engine
from byway.cli.support.options import (
    DEFAULT_DATA_DIR,
    DataOption,
    JsonOption,
    SetOption,
    VerboseOption,
    require_file,
    require_writable,
    settings_from_options,
)
from byway.cli.support.output import out, pluralize, print_json, print_notice, progress, sanitize
from byway.core.errors import UsageError
from byway.core.settings.schema import RankSettings
from byway.pagerank.convergence_plot import convergence_svg
from byway.pagerank.edge_list_files import require_supported_format
from byway.pagerank.edge_list_rank import RankedNodes, rank_edge_list, write_ranks
from byway.pagerank.power_iteration import Progress

ORDER = 23
MAX_SHOWN_NODES = 20

EdgesOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Rank this list of edges instead: .tsv, .npy or .parquet."),
]
RanksFileOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", help="Write the list's ranks there: .tsv, .npy or .parquet."
    ),
]
NodeCountOption = Annotated[
    int | None,
    typer.Option(
        "--nodes", min=1, max=2**31 - 1, help="Nodes of the list are 0 to N-1, linked or not."
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE.svg", help="Draw how much the ranks moved in each round."),
]


def command(
    edges: EdgesOption = None,
    ranks_file: RanksFileOption = None,
    node_count: NodeCountOption = None,
    plot: PlotOption = None,
    data: DataOption = DEFAULT_DATA_DIR,
    set: SetOption = None,
    json: JsonOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Work out the PageRank of every known page, host and site; searches use it at once."""
    _check(edges, ranks_file, node_count, plot)
    settings = settings_from_options(data, set).rank
    rounds: list[float] = []
    with progress("ranking") as shown:

        def moved(round: int, by: float) -> None:
            rounds.append(by)
            if edges or verbose:
                print_notice(f"round {round}: ranks moved by {by:.1e}")
            shown.update(f"round {round}: ranks moved by {by:.1e}")

        if edges:
            ranked: RankedNodes | int = _rank_list(edges, ranks_file, node_count, settings, moved)
        else:
            ranked = open_engine(data, set).rank(moved)
    if plot and rounds:
        plot.write_text(convergence_svg(rounds), encoding="utf-8")
    if rounds and rounds[-1] >= settings.tolerance:
        print_notice(
            f"stopped after {pluralize(len(rounds), 'round')} before the ranks came to rest: they "
            f"still moved by {rounds[-1]:.1e}; raise rank.max_iterations or rank.tolerance"
        )
    _tell(ranked, rounds, ranks_file, json)


def _check(edges: Path | None, to: Path | None, nodes: int | None, plot: Path | None) -> None:
    """Say at once what cannot be done, and not when all is worked out."""
    if not edges and (to or nodes):
        raise UsageError("--out and --nodes are for a list of edges; name it with --edges FILE")
    for path in filter(None, (edges, to)):
        require_supported_format(path)
    if edges:
        require_file(edges, "name a list of edges")
    require_writable(to, plot)
    if edges and to and to.exists() and to.samefile(edges):
        raise UsageError(f"--out {to} is the list of edges itself; name another file")
    if plot and plot.suffix.lower() != ".svg":
        raise UsageError(f"--plot {plot}: it is drawn as SVG; let the name end in .svg")


def _rank_list(
    edges: Path, to: Path | None, nodes: int | None, settings: RankSettings, moved: Progress
) -> RankedNodes:
    beside = (to or edges).absolute().parent
    ranked = rank_edge_list(edges, settings, beside, nodes, moved)
    if to:
        write_ranks(ranked, to)
    return ranked


def _tell(ranked: RankedNodes | int, rounds: Sequence[float], to: Path | None, json: bool) -> None:
    pages = ranked if isinstance(ranked, int) else len(ranked.ids)
    best = [] if to or isinstance(ranked, int) else _best(ranked)
    if json:
        links = {} if isinstance(ranked, int) else {"links": ranked.link_count}
        shown = {"best": [{"id": id, "rank": rank} for id, rank in best]} if best else {}
        print_json({"ranked": pages, **links, "rounds": len(rounds), "moved": list(rounds)} | shown)
    elif isinstance(ranked, int):
        out.print(f"{pluralize(pages, 'page')} ranked in {pluralize(len(rounds), 'round')}")
    else:
        size = f"{pluralize(pages, 'node')} with {pluralize(ranked.link_count, 'link')}"
        out.print(f"{size} ranked in {pluralize(len(rounds), 'round')}")
        for id, rank in best:
            out.print(f"{rank:.6f}  {escape(sanitize(str(id)))}")


def _best(ranked: RankedNodes) -> list[tuple[str | int, float]]:
    """The nodes with the highest ranks."""
    ids = [
        id.decode(errors="replace") if isinstance(id, bytes) else int(id)
        for id in ranked.ids[:MAX_SHOWN_NODES]
    ]
    return list(zip(ids, ranked.ranks.tolist(), strict=False))
