"""Graph export formats: GraphML, CSV or Parquet, by the suffix of the file."""

import csv
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from byway.core.errors import UsageError
from byway.reports.links.export import CellValue, Columns, GraphExport, Row

LINKS_PER_BATCH = 50_000
"""Links resolved to names, or written to Parquet, at a time."""
INVALID_XML_PATTERN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow, even escaped."""
GRAPHML_TYPES = {str: "string", int: "long", float: "double", bool: "boolean"}
GRAPHML_HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


def write_graph(graph: GraphExport, path: Path) -> int:
    """Write the graph to a file atomically; return the number of links."""
    writer = _writer(path)
    temporary = path.with_name(f"{path.name}.tmp")
    try:
        count = writer(graph, temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return count


def require_format(path: Path) -> None:
    """Raise `UsageError` if the format is unknown or its library is not installed."""
    _writer(path)
    if path.suffix.lower() == ".parquet":
        _import_pyarrow("pyarrow", path)


def _writer(path: Path) -> Callable[[GraphExport, Path], int]:
    try:
        return WRITERS[path.suffix.lower()]
    except KeyError:
        raise UsageError("reports.unknown_export_format", path=path, suffixes=[*WRITERS]) from None


def _write_graphml(graph: GraphExport, path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(GRAPHML_HEADER)
        for kind, columns in (("node", graph.node_columns), ("edge", graph.link_columns)):
            for name, type in columns.items():
                file.write(
                    f'<key id="{kind}-{name}" for="{kind}" attr.name="{name}" '
                    f'attr.type="{GRAPHML_TYPES[type]}"/>\n'
                )
        file.write('<graph edgedefault="directed">\n')
        for id, row in graph.nodes:
            file.write(f'<node id="n{id}">{_data("node", graph.node_columns, row)}</node>\n')
        for source, target, row in graph.links:
            data = _data("edge", graph.link_columns, row)
            file.write(f'<edge source="n{source}" target="n{target}">{data}</edge>\n')
            count += 1
        file.write("</graph>\n</graphml>\n")
    return count


def _data(kind: str, columns: Columns, row: Row) -> str:
    return "".join(
        f'<data key="{kind}-{name}">{_xml(value)}</data>'
        for name, value in zip(columns, row, strict=True)
    )


def _xml(value: CellValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return escape(INVALID_XML_PATTERN.sub("\ufffd", str(value)))


def _write_csv(graph: GraphExport, path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "target", *graph.link_columns])
        for rows in _named_links(graph):
            writer.writerows(
                [str(value).lower() if isinstance(value, bool) else value for value in row]
                for row in rows
            )
            count += len(rows)
    return count


def _write_parquet(graph: GraphExport, path: Path) -> int:
    arrow, parquet = _import_pyarrow("pyarrow", path), _import_pyarrow("pyarrow.parquet", path)
    types = {str: arrow.string(), int: arrow.int64(), bool: arrow.bool_()}
    columns = {"source": str, "target": str, **graph.link_columns}
    schema = arrow.schema([(name, types[type]) for name, type in columns.items()])
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in _named_links(graph):
            values = [list(column) for column in zip(*rows, strict=True)]
            writer.write_table(arrow.table(values, schema=schema))
            count += len(rows)
    return count


def _named_links(graph: GraphExport) -> Iterator[list[Row]]:
    """The links in batches, as rows that begin with the names of source and target."""
    links = iter(graph.links)
    while batch := list(islice(links, LINKS_PER_BATCH)):
        names = graph.node_names({id for link in batch for id in link[:2]})
        yield [
            (names[source], names[target], *row)
            for source, target, row in batch
            if source in names and target in names
        ]


def _import_pyarrow(name: str, path: Path) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise UsageError("reports.pyarrow_missing", path=path) from None


WRITERS = {".graphml": _write_graphml, ".csv": _write_csv, ".parquet": _write_parquet}
