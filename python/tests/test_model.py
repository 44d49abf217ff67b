"""Models: fitted, kept, asked."""

from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import palate

Rows = list[dict[str, str]]


def test_load_reads_what_the_board_says(model: palate.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m.palate")
    again = palate.Model.load(tmp_path / "m.palate")
    board = again.board()
    at = [again.items.index(i) for i in board.items]
    assert np.allclose(again.score[at], board["score"], atol=6e-4)
    assert np.allclose(again.sd[at], board["sd"], atol=6e-4)
    assert again.votes.sum() == 240


def test_draws_give_the_board(model: palate.Model) -> None:
    for user in (None, "v3"):
        d = model.draws(user=user)
        board = model.board(user=user)
        at = [d.items.index(i) for i in board.items]
        assert np.allclose(d.score[at], board["score"], atol=6e-4)
        assert np.allclose(d.sd[at], board["sd"], atol=6e-4)
        assert np.isclose(d.weight.sum(), 1)
        best = [d.probability(d.draws.argmax(axis=1) == i) for i in range(5)]
        assert np.allclose(np.array(best)[at], board["p_best"], atol=6e-4)
    with pytest.raises(KeyError):
        d["nobody"]


def test_predict_agrees_with_compare(model: palate.Model) -> None:
    left = model.predict([("a", "e", "v1"), ("e", "a", "v1"), ("a", "x", "v1")])
    assert left.shape == (3,) and np.isclose(left[0] + left[1], 1) and np.isnan(left[2])
    assert abs(model.compare("a", "e", user="v1").p_wins - left[0]) < 0.02
    with pytest.raises(palate.UsageError, match="two items"):
        model.compare("a")
    with pytest.raises(palate.UsageError, match="tuples"):
        model.predict([("a",)])


def test_top_leaves_out_what_was_seen(model: palate.Model, votes: Rows) -> None:
    all_of_them = model.top(5)
    assert len(all_of_them) == 30
    assert len(model.top(5, users=["v1"], seen=votes)) == 0
    tastes = model.tastes()
    of_v1 = [r for r in all_of_them if r["user"] == "v1"]
    for row in of_v1:
        assert np.isclose(tastes[model.users.index("v1"), model.items.index(row["item"])], row["score"])


def test_neighbours(model: palate.Model) -> None:
    items = model.neighbours(2)
    assert len(items) == 10 and all(-1 <= r["alike"] <= 1 and r["of"] != r["neighbour"] for r in items)
    assert len(model.neighbours(3, users=["v1"])) == 3
    first = {"user": ["zoe", "zoe"], "left": ["e", "e"], "right": ["a", "b"], "winner": ["e", "e"]}
    assert set(model.neighbours(1, votes=first)["of"]) == {"zoe"}


def test_two_boards(votes: Rows) -> None:
    moved = palate.compare(votes[:60], votes[60:], model="single")
    assert sorted(moved["item"]) == list("abcde") and "p_rose" in moved.columns


def test_lists_with_commas_in_names() -> None:
    votes = [{"left": 'a,"b', "right": "c", "winner": "left"}, {"left": "c", "right": "d", "winner": "left"}] * 5
    assert palate.compare(votes, of=['a,"b', "d"], model="single").p_better > 0.5


def test_charts(model: palate.Model) -> None:
    chart = model.chart("matrix")
    assert chart.svg.startswith("<svg") and chart._repr_svg_() == chart.svg and chart.says


def test_files_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(palate.PalateError, match="no such file"):
        palate.Model.load(tmp_path / "none.palate")
    (tmp_path / "text.palate").write_text("left,right\n")
    with pytest.raises(palate.PalateError, match="not a model file") as err:
        palate.Model.load(tmp_path / "text.palate")
    assert err.value.file == str(tmp_path / "text.palate")
    with zipfile.ZipFile(tmp_path / "zip.palate", "w") as z:
        z.writestr("model.json", json.dumps({"format": "other"}))
    with pytest.raises(palate.PalateError, match="not a model file"):
        palate.Model.load(tmp_path / "zip.palate")


def test_a_fit_without_a_path_leaves_nothing(votes: Rows) -> None:
    m = palate.fit(votes, model="bt")
    path = m._path
    assert path.exists()
    del m
    for _ in range(100):
        if not path.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} is still there")
