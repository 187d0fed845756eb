"""Rank: what do the links say about the pages?"""

from byway.cli.crawling import opened
from byway.cli.options import HERE, Data, Json, Set, Verbose
from byway.cli.output import out, print_json, progress

ORDER = 23


def command(
    data: Data = HERE, set: Set = None, json: Json = False, verbose: Verbose = False
) -> None:
    """Work out the PageRank of every known page and host; searches use it at once."""
    engine = opened(data, set)
    rounds: list[float] = []
    with progress("ranking") as shown:

        def moved(round: int, by: float) -> None:
            rounds.append(by)
            shown.update(f"round {round}: ranks moved by {by:.1e}")

        ranked = engine.rank(moved)
    if json:
        print_json({"ranked": ranked, "rounds": len(rounds), "moved": rounds[-1:]})
    else:
        out.print(f"{ranked:,} pages ranked in {len(rounds)} rounds")
