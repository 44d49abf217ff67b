"""Tables between Python and the binary, through Arrow, and how they are shown."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._errors import UsageError


def is_table(value: Any) -> bool:
    """Whether a value is a table: a frame, an Arrow table, columns by name, or rows."""
    return (
        hasattr(value, "__arrow_c_stream__")
        or type(value).__module__.split(".")[0] == "pandas"
        or isinstance(value, Mapping)
        or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))
    )


def to_arrow(value: Any, name: str = "table") -> pa.Table:
    """Return a table of any kind as one of Arrow's. The index of a pandas frame is a column
    if it has a name."""
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return pa.Table.from_pylist(value)
    if not is_table(value):
        raise UsageError(
            f"{name}: {type(value).__name__} is no table: give the path of a file, a pandas or Polars frame, "
            "an Arrow table, a dict of columns, or a list of dicts"
        )
    table = pa.table(dict(value) if isinstance(value, Mapping) else value)
    table = table.drop_columns([c for c in table.column_names if c.startswith("__index_level_")])
    for k, column in enumerate(table.columns):  # Parquet knows no dictionaries of views, as Polars has them
        if pa.types.is_dictionary(column.type) and column.type.value_type == pa.string_view():
            parts = [c.dictionary.cast(pa.large_string()).take(c.indices) for c in column.chunks]
            table = table.set_column(k, table.column_names[k], pa.chunked_array(parts, pa.large_string()))
    return table


class Table:
    """Columns by name: ``table["score"]`` is a NumPy array. pandas, Polars and others read it
    through Arrow."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        if column not in self._table.column_names:
            raise KeyError(f"{column!r} is not one of the columns {', '.join(self.columns)}")
        array: npt.NDArray[Any] = self._table.column(column).to_numpy()
        return array

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._table.to_pylist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and bool(self._table.equals(other._table))

    __hash__ = None  # type: ignore[assignment]

    def to_arrow(self) -> pa.Table:
        """Return it as a table of Arrow."""
        return self._table

    def to_pandas(self) -> Any:
        """Return it as a frame of pandas."""
        return self._table.to_pandas()

    def to_polars(self) -> Any:
        """Return it as a frame of Polars."""
        import polars

        return polars.from_arrow(self._table)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return self._text(20)

    def _text(self, most: int) -> str:
        rows = [self.columns] + [[_cell(v) for v in r.values()] for r in self._table.slice(0, most).to_pylist()]
        wide = [max(len(r[k]) for r in rows) for k in range(len(self.columns))]
        text = [[c == "item" or not _number(self._table, c), w] for c, w in zip(self.columns, wide)]
        lines = ["  ".join(v.ljust(w) if left else v.rjust(w) for v, (left, w) in zip(r, text)).rstrip() for r in rows]
        if len(self) > most:
            lines.append(f"… and {len(self) - most} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _html_table(self.columns, [list(r.values()) for r in self._table.slice(0, 60).to_pylist()], len(self))


class Board(Table):
    """A leaderboard: a row an item, best first, with the columns of ``palate rank``. ``level``
    is the probability of its intervals, ``scale`` the unit of its scores, ``fit`` what is known
    of the fit, ``notes`` what was said on the way."""

    def __init__(self, says: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
        super().__init__(pa.Table.from_pylist(list(says["rows"])))
        self.level: float = says["level"]
        self.scale: str = says.get("scale", "noise")
        self.fit: dict[str, Any] = dict(says.get("fit", {}))
        self.notes = list(notes)

    @property
    def items(self) -> list[str]:
        """The items, best first."""
        return [str(i) for i in self["item"]]

    def _repr_html_(self) -> str:
        if len(self) == 0:
            return super()._repr_html_()
        low, high = float(np.min(self["lo"])), float(np.max(self["hi"]))
        span = max(high - low, 1e-9)
        rows = []
        for r in self._table.slice(0, 60).to_pylist():
            at = [200 * (r[k] - low) / span for k in ("lo", "score", "hi")]
            says = f"{r['score']:+.2f}, from {r['lo']:+.2f} to {r['hi']:+.2f}"
            picture = _Raw(
                f'<svg width="204" height="14" role="img" aria-label="{says}"><title>{says}</title>'
                f'<line x1="{at[0] + 2:.1f}" x2="{at[2] + 2:.1f}" y1="7" y2="7" stroke="#888" stroke-width="3"/>'
                f'<circle cx="{at[1] + 2:.1f}" cy="7" r="4" fill="#0b6e99"/></svg>'
            )
            ranks = str(r["rank_lo"]) if r["rank_lo"] == r["rank_hi"] else f"{r['rank_lo']}–{r['rank_hi']}"
            rows.append([r["rank"], r["item"], r["score"], r["sd"], picture, ranks, r["p_best"], r["tier"], r["votes"]])
        names = ["rank", "item", "score", "sd", f"{100 * self.level:g}% interval", "ranks", "p_best", "tier", "votes"]
        return _html_table(names, rows, len(self))


class Comparison(Table):
    """Pairs of items: how probable it is that ``a`` is better than ``b``, by how much, and how
    votes between them would go; or items of two boards, and how they moved. Of one pair the
    columns are attributes as well: ``comparison.p_better``."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and len(self) == 1 and name in self._table.column_names:
            return self._table.column(name)[0].as_py()
        raise AttributeError(name)


@dataclass(frozen=True)
class Chart:
    """A chart as SVG, which notebooks show."""

    svg: str
    says: str = ""

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str) -> None:
        """Write it to a file."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.svg)

    def __repr__(self) -> str:
        return f"<palate.Chart: {self.says}>"


class _Raw(str):
    """A text that is HTML already."""


def _number(table: pa.Table, column: str) -> bool:
    kind = table.schema.field(column).type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _html_table(names: Sequence[str], rows: Sequence[Sequence[Any]], total: int) -> str:
    parts = ["<table><thead><tr>", *(f"<th>{html.escape(n)}</th>" for n in names), "</tr></thead><tbody>"]
    for row in rows:
        cells = (v if isinstance(v, _Raw) else html.escape(_cell(v)) for v in row)
        parts.append("<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    parts.append("</tbody></table>")
    if total > len(rows):
        parts.append(f"<p>and {total - len(rows)} more</p>")
    return "".join(parts)
