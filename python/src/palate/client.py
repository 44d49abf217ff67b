"""A client for servers that ``palate serve`` runs."""

from __future__ import annotations

import io
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet

from ._errors import ServerError
from ._tables import Board, Table, to_arrow


Floats = npt.NDArray[np.float64]


class Client:
    """A server of boards. ``token`` is a board's secret or one of its tokens, or what
    PALATE_ADMIN is on the server to make boards; by default PALATE_TOKEN."""

    def __init__(self, server: str | None = None, token: str | None = None, timeout: float = 60) -> None:
        self.server = (server or os.environ.get("PALATE_SERVER") or "http://127.0.0.1:8080").rstrip("/")
        self.token = os.environ.get("PALATE_TOKEN") if token is None else token
        self.timeout = timeout

    def create(self, items: Sequence[str | Mapping[str, Any]], title: str = "", **settings: Any) -> ServedBoard:
        """Make a board of some items, each a text or a dict such as {"id": "a", "body": "A"}. Other
        settings are those of the API: question, access, public, settings. The board that is
        returned is its owner's; ``secret`` says with what."""
        body = {"title": title, "items": [{"body": i} if isinstance(i, str) else dict(i) for i in items], **settings}
        made = self.call("POST", "/api/boards", body)
        return ServedBoard(Client(self.server, made["secret"], self.timeout), made["board"]["id"], made["secret"], made["vote"])

    def board(self, id: str) -> ServedBoard:
        """Return a board that is there."""
        return ServedBoard(self, id)

    def call(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Any:
        """Make a request of the JSON API, and return its answer."""
        data = None if body is None else json.dumps(body).encode()
        text = self.send(method, path, data, "application/json", query)
        return json.loads(text) if text else None

    def send(self, method: str, path: str, data: bytes | None, kind: str, query: Mapping[str, Any] | None = None) -> bytes:
        """Make a request, and return the bytes of its answer."""
        wanted = {k: str(v).lower() if isinstance(v, bool) else v for k, v in (query or {}).items() if v is not None}
        url = self.server + path + ("?" + urllib.parse.urlencode(wanted) if wanted else "")
        headers = {"Content-Type": kind} if data is not None else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(url, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as err:
            raise ServerError(_problem(err.read(), err.reason), err.code) from None
        except urllib.error.URLError as err:
            raise ServerError(f"no server at {self.server}: {err.reason}") from err


class ServedBoard:
    """A board on a server."""

    def __init__(self, client: Client, id: str, secret: str | None = None, link: str | None = None) -> None:
        self.client, self.id, self.secret, self.link = client, id, secret, link

    def about(self) -> dict[str, Any]:
        """Describe the board."""
        return dict(self._call("GET", ""))

    def ask(self, voter: str | None = None) -> dict[str, Any]:
        """Return the next question for a voter: question, ask, and left and right or items among others."""
        return dict(self._call("POST", "/ask", _given(voter=voter)))

    def tell(
        self,
        question: str,
        outcome: str | None = None,
        voter: str | None = None,
        best: str | None = None,
        worst: str | None = None,
        order: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Answer a question: left, right, tie or skip; of several items with the best, the best and
        the worst, or their order, the best first, as the board asks."""
        said = _given(question=question, outcome=outcome, voter=voter, best=best, worst=worst)
        return dict(self._call("POST", "/tell", said if order is None else {**said, "order": list(order)}))

    def undo(self, voter: str | None = None) -> dict[str, Any]:
        """Take a voter's last answer back."""
        return dict(self._call("POST", "/undo", _given(voter=voter)))

    def board(self, voter: str | None = None, group: str | None = None) -> Board:
        """Return the leaderboard, or that of a voter or a group."""
        return Board(self._call("GET", "/board", query={"voter": voter, "group": group}))

    def predict(self, left: str, right: str, voter: str | None = None) -> float:
        """Return the probability that one item beats another."""
        says = self._call("GET", "/predict", query={"left": left, "right": right, "voter": voter})
        return float(says["p_left"])

    def votes(self) -> Table:
        """Return all votes and skips."""
        raw = self.client.send("GET", f"{self._at}/export", None, "", {"format": "parquet"})
        return Table(pyarrow.parquet.read_table(io.BytesIO(raw)))

    def add_votes(self, votes: Any, skip_bad: bool = False) -> dict[str, Any]:
        """Import votes, a table or the path of a file, and wait until they are stored."""
        if isinstance(votes, (str, os.PathLike)):
            name = os.path.basename(os.fspath(votes))
            with open(votes, "rb") as f:
                data = f.read()
        else:
            name, buffer = "votes.parquet", io.BytesIO()
            pyarrow.parquet.write_table(to_arrow(votes, "votes"), buffer)
            data = buffer.getvalue()
        query = {"name": name, "skip_bad": skip_bad}
        state = json.loads(self.client.send("POST", f"{self._at}/import", data, "application/octet-stream", query))
        while state["state"] in ("receiving", "running"):
            time.sleep(0.2)
            state = self._call("GET", f"/imports/{state['id']}")
        if state["state"] != "done":
            raise ServerError(f"the import is {state['state']} after {state['added']} votes: {state.get('says', '')}")
        return dict(state)

    def close(self) -> None:
        """End the voting."""
        self._call("PATCH", "", {"closed": True})

    def open(self) -> None:
        """Open the voting again."""
        self._call("PATCH", "", {"closed": False})

    @property
    def _at(self) -> str:
        return f"/api/boards/{urllib.parse.quote(self.id, safe='')}"

    def _call(self, method: str, what: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Any:
        return self.client.call(method, self._at + what, body, query)

    def __repr__(self) -> str:
        return f"<palate.ServedBoard: {self.id} on {self.client.server}>"


class ServedModel:
    """A model that ``palate serve --model`` serves alone."""

    def __init__(self, server: str | None = None, token: str | None = None, timeout: float = 60) -> None:
        self.client = Client(server, token, timeout)

    def about(self) -> dict[str, Any]:
        """Describe the model."""
        return dict(self.client.call("GET", "/api/model"))

    def predict(self, pairs: Sequence[tuple[str, str]], voter: str | None = None, votes: Any = None) -> Floats:
        """Return the probability that the left item of each pair wins, NaN where the model knows
        nothing: to a voter, or to somebody new with a few votes (a table with left, right and
        winner)."""
        body = _given(left=[p[0] for p in pairs], right=[p[1] for p in pairs], voter=voter, votes=_ballots(votes))
        chances = self.client.call("POST", "/api/model/predict", body)["p_left"]
        return np.array([np.nan if p is None else p for p in chances])

    def top(self, n: int = 10, voter: str | None = None, votes: Any = None, without: Sequence[str] = ()) -> Table:
        """Return what somebody likes best: rank, item, score, sd."""
        body = _given(n=n, voter=voter, votes=_ballots(votes), without=list(without))
        return Table(pa.Table.from_pylist(self.client.call("POST", "/api/model/top", body)))

    def neighbours(self, n: int = 10, item: str | None = None, voter: str | None = None, votes: Any = None) -> Table:
        """Return the items nearest to an item, or the voters nearest to a voter or to somebody new
        with a few votes: rank, neighbour, alike, sd."""
        body = _given(n=n, item=item, voter=voter, votes=_ballots(votes))
        return Table(pa.Table.from_pylist(self.client.call("POST", "/api/model/neighbours", body)))


def _ballots(votes: Any) -> list[dict[str, str]] | None:
    """Return votes as a model that is served takes them; a winner may be named by its item."""
    if votes is None:
        return None
    ballots = []
    for v in to_arrow(votes, "votes").to_pylist():
        side = {v["left"]: "left", v["right"]: "right"}.get(v["winner"], v["winner"])
        ballots.append({"left": v["left"], "right": v["right"], "outcome": side})
    return ballots


def _given(**values: Any) -> dict[str, Any]:
    return {k: v for k, v in values.items() if v is not None}


def _problem(body: bytes, reason: str) -> str:
    """Return what a server says is wrong."""
    try:
        says = json.loads(body)
        parts = [says["detail"]] + [f"{e.get('location', '')} {e['message']}".strip() for e in says.get("errors") or []]
        return "; ".join(parts)
    except (ValueError, KeyError, TypeError):
        return body.decode(errors="replace").strip() or reason
