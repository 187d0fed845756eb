"""A process of its own that asks a data folder without end, and writes down what is wrong.

Called with the folder and how many pages it has. Prints a line for each round: how many pages each
way of asking found, and `wrong: …` wherever an answer is none, or is mixed from two indexes.
"""

import sys
from pathlib import Path

from byway.app.search import SearchSession, search_session
from byway.core.model import Query
from byway.core.model.candidates import FIELDS
from byway.core.settings.schema import Settings
from byway.storage.sqlite.storage import SqliteStorage


def find_error(session: SearchSession, pages: int) -> str:
    """What is wrong with the answers, if anything is."""
    found = session.search(Query("apples", max_hits=20))
    if found.total != pages or len(found.hits) != 20:
        return f"{found.total} pages, {len(found.hits)} hits"
    if len({hit.title.split()[0] for hit in found.hits}) != 1:
        return "hits of two indexes"
    title = found.hits[0].title.split()[0]
    for word in ("alpha", "beta"):
        called = session.search(Query(f"intitle:{word}", max_hits=20)).hits
        if any(word not in hit.title for hit in called):
            return f"a page is found as {word} that is not shown so"
        seen = session.candidates(f"intitle:{word} {word} apples", 20)
        if (
            len(seen.ids)
            and not (seen.features.term_counts[:, FIELDS.index("title"), 0] == 1).all()
        ):
            return f"the forward file does not know {word} in the title"
    return "" if title in ("alpha", "beta") else f"the title is {title}"


def main() -> None:
    folder, pages = SqliteStorage(Path(sys.argv[1])), int(sys.argv[2])
    with search_session(folder, Settings()) as long:
        while True:
            with search_session(folder, Settings()) as fresh:
                for name, asked in (("long", long), ("fresh", fresh)):
                    try:
                        said = find_error(asked, pages)
                    except Exception as error:
                        said = f"{type(error).__name__}: {error}"
                    print(f"wrong: {name}: {said}" if said else f"right: {name}", flush=True)


if __name__ == "__main__":
    main()
