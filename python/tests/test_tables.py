"""Tables of every kind give the same board, and boards go to every kind of table."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import palate

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

Rows = list[dict[str, str]]


def kinds(votes: Rows) -> dict[str, Any]:
    frame = pandas.DataFrame(votes)
    return {
        "rows": votes,
        "columns": {k: [v[k] for v in votes] for k in votes[0]},
        "arrow": pa.Table.from_pylist(votes),
        "pandas": frame,
        "pandas categories": frame.astype("category"),
        "pandas with an index": frame.set_index(pandas.Index(range(7, 7 + len(votes)))),
        "pandas indexed by voter": frame.set_index("user"),
        "polars": polars.DataFrame(votes),
        "polars categories": polars.DataFrame(votes).with_columns(polars.all().cast(polars.Categorical)),
    }


def test_every_kind_gives_the_same_board(votes: Rows, tmp_path: Any) -> None:
    pandas.DataFrame(votes).to_csv(tmp_path / "votes.csv", index=False)
    want = palate.rank(tmp_path / "votes.csv", model="bt")
    assert sorted(want.items) == list("abcde")
    for name, table in kinds(votes).items():
        assert palate.rank(table, model="bt") == want, name


def test_times_and_numbers_survive(votes: Rows) -> None:
    start = datetime.datetime(2024, 5, 1, tzinfo=datetime.timezone.utc)
    timed = [{**v, "time": start + datetime.timedelta(minutes=k), "weight": 1.0} for k, v in enumerate(votes)]
    assert palate.rank(pandas.DataFrame(timed), model="glicko") == palate.rank(polars.DataFrame(timed), model="glicko")


def test_a_board_is_a_table(votes: Rows) -> None:
    board = palate.rank(votes, model="bt")
    assert len(board) == 5 and board["score"].dtype == np.float64
    assert board.to_pandas()["item"].tolist() == polars.DataFrame(board)["item"].to_list() == board.to_polars()["item"].to_list()
    assert [r["item"] for r in board] == board.items
    assert "a " in repr(board)
    with pytest.raises(KeyError, match="scores"):
        board["scores"]


def test_names_are_escaped(votes: Rows) -> None:
    mean = [{k: v.replace("a", "<b>&") if k in ("left", "right", "winner") else v for k, v in row.items()} for row in votes]
    shown = palate.rank(mean, model="bt")._repr_html_()
    assert "&lt;b&gt;&amp;" in shown and "<b>" not in shown


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(palate.UsageError, match="votes: int is no table"):
        palate.rank(3)
    with pytest.raises(palate.UsageError, match="items: object is neither"):
        palate.rank("votes.csv", items=object())
