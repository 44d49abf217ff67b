"""Boards on a server."""

from __future__ import annotations

import numpy as np
import pytest

import palate

Rows = list[dict[str, str]]


def test_a_board(server: str, votes: Rows) -> None:
    items = [{"id": i, "body": i.upper()} for i in "abcde"]
    board = palate.Client(server, token="").create(items, title="Letters")
    assert board.about()["items"] == 5 and board.link
    assert board.add_votes(votes)["added"] == 120
    assert 0 < len(board.votes()) <= 120  # of a voter's votes on a pair the last counts
    question = board.ask(voter="zoe")
    board.tell(question["question"], "skip", voter="zoe")
    board.undo(voter="zoe")
    assert set(board.board().items) == set("abcde")
    assert 0 < board.predict("a", "e") < 1
    board.close()
    assert board.about()["closed"]
    board.open()


def test_refusals(server: str) -> None:
    client = palate.Client(server, token="")
    with pytest.raises(palate.ServerError, match="nowhere") as err:
        client.board("nowhere").about()
    assert err.value.status == 404
    with pytest.raises(palate.ServerError, match="no server at") as err:
        palate.Client("http://127.0.0.1:9").board("x").about()
    assert err.value.status == 0


def test_a_model_that_is_served(served_model: str, model: palate.Model, votes: Rows) -> None:
    served = palate.ServedModel(served_model)
    assert served.about()["items"] == 5
    pairs = [("a", "b"), ("c", "e"), ("a", "x")]
    chances = served.predict(pairs, voter="v2")
    assert np.allclose(chances[:2], model.predict([(*p, "v2") for p in pairs[:2]]), atol=1e-6) and np.isnan(chances[2])
    first = {"left": ["e", "e", "e"], "right": ["a", "b", "c"], "winner": ["e", "left", "e"]}
    assert served.predict([("e", "a")], votes=first)[0] > served.predict([("e", "a")])[0]
    best = served.top(2, voter="v2", without=["a"])
    assert len(best) == 2 and "a" not in best["item"]
    near = served.neighbours(2, item="a")
    assert len(near) == 2 and list(near["neighbour"]) == list(model.neighbours(2, items=["a"])["neighbour"])
    assert len(served.neighbours(3, votes=first)) == 3
    with pytest.raises(palate.ServerError, match="no voter") as err:
        served.top(voter="zoe")
    assert err.value.status == 422
