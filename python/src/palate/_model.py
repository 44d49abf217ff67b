"""Models and boards, by the commands of the same names."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from ._errors import PalateError, UsageError
from ._run import Option, Workspace
from ._tables import Board, Chart, Comparison, Table, is_table

Floats = npt.NDArray[np.float64]


def rank(votes: Any, *, progress: bool | None = None, **options: Option) -> Board:
    """Rank the items of votes: a frame of pandas or Polars, an Arrow table, columns or rows, or
    the path of a file, in any form of ``palate help formats``. Options are those of ``palate
    rank``, such as ``user="ann"``, ``items=frame``, ``model="crowd"``, ``columns={...}``."""
    with Workspace() as work:
        args = ["rank", work.input(votes, "votes"), "--json", *work.flags(options)]
        said = work.run(args, progress)
    return Board(json.loads(said.text), said.notes)


def fit(votes: Any, *, path: str | os.PathLike[str] | None = None, progress: bool | None = None, **options: Option) -> Model:
    """Fit a model to votes, which are as in ``rank``. Options are those of ``palate fit``, such
    as ``items=frame``, ``users=frame``, ``model="population"``. The model's file is ``path``, or
    lives as long as the model."""
    folder = None
    if path is None:
        folder = tempfile.TemporaryDirectory(prefix="palate-model-")
        path = Path(folder.name) / "model.palate"
    with Workspace() as work:
        args = ["fit", work.input(votes, "votes"), "-o", os.fspath(path), *work.flags(options)]
        notes = work.run(args, progress).notes
    model = Model.load(path)
    model.notes, model._folder = notes, folder
    return model


def compare(*sources: Any, of: Sequence[str] | None = None, progress: bool | None = None, **options: Option) -> Comparison:
    """Compare items of votes or of a model, ``compare(votes, of=["a", "b"])``, or two boards,
    ``compare(may, june)``. Options are those of ``palate compare``."""
    with Workspace() as work:
        names = ["votes"] if len(sources) == 1 else ["before", "after"]
        inputs = [s._path if isinstance(s, Model) else work.input(s, n) for s, n in zip(sources, names)]
        args = ["compare", *map(str, inputs), "--json", *work.flags({"of": of, **options})]
        says = json.loads(work.run(args, progress).text)
    rows = says.get("pairs") or says.get("items") or says.get("moves") or []
    return Comparison(pa.Table.from_pylist([_flat(r) for r in rows]))


def plot(chart: str, votes: Any, *, progress: bool | None = None, **options: Option) -> Chart:
    """Draw a chart of ``palate plot``: leaderboard, matrix, reliability, voters and others."""
    with Workspace() as work:
        source = votes._path if isinstance(votes, Model) else work.input(votes, "votes")
        picture = work.path / "chart.svg"
        said = work.run(["plot", chart, str(source), "-o", str(picture), *work.flags(options)], progress)
        says = said.notes[-1].removeprefix(f"{picture}: ") if said.notes else chart
        return Chart(picture.read_text(encoding="utf-8"), says)


@dataclass(frozen=True)
class Draws:
    """Joint draws of the utilities of all items: ``draws[k, i]`` is item i in draw k, which has
    the weight ``weight[k]``; weights sum to one. ``score`` and ``sd`` are the board's: mean and
    standard deviation over the draws, less the mean of the item's group in each."""

    items: list[str]
    draws: Floats
    weight: Floats
    score: Floats
    sd: Floats

    def probability(self, holds: npt.NDArray[np.bool_]) -> float:
        """Return the probability of what holds in some draws: ``d.probability(d["a"] > d["b"])``."""
        return float(self.weight[np.asarray(holds)].sum())

    def __getitem__(self, item: str) -> Floats:
        try:
            return self.draws[:, self.items.index(item)]
        except ValueError:
            raise KeyError(item) from None


class Model:
    """A fitted model. ``items``, ``users``, ``score``, ``sd`` and ``votes`` are those of its board,
    as NumPy arrays; everything else is asked of the binary."""

    notes: list[str]

    def __init__(self, path: Path, about: dict[str, Any], arrays: dict[str, Floats]) -> None:
        self._path = path
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.notes = []
        self.kind: str = about["model"]
        self.items: list[str] = about["items"]
        self.users: list[str] = about.get("users") or []
        self.groups: list[list[int]] = about["groups"]
        self.score, self.sd, self.votes = arrays["score"], arrays["sd"], arrays["votes"]

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model:
        """Open a model file. What it says of items is read here; the binary is not needed."""
        path = Path(path)
        try:
            with zipfile.ZipFile(path) as file:
                about = json.loads(file.read("model.json"))
                if about.get("format") != "palate":
                    raise ValueError(f"format {about.get('format')!r}")
                arrays = {k: np.load(io.BytesIO(file.read(f"{k}.npy")), allow_pickle=False) for k in ("score", "sd", "votes")}
            return Model(path, about, arrays)
        except FileNotFoundError as err:
            raise PalateError(f"{path}: there is no such file", file=str(path)) from err
        except (zipfile.BadZipFile, KeyError, ValueError) as err:
            raise PalateError(f"{path}: not a model file: {err}", file=str(path)) from err

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep the model in a file, for ``Model.load`` and the command line."""
        shutil.copyfile(self._path, path)

    def board(self, user: str | None = None, **options: Option) -> Board:
        """Return the leaderboard, or that of a voter. Options are those of ``palate rank``, such as
        ``top=5``, ``level=0.9``, ``elo=True``."""
        with Workspace() as work:
            said = work.run(["rank", str(self._path), "--json", *work.flags({"user": user, **options})], False)
        return Board(json.loads(said.text), said.notes)

    def predict(self, pairs: Any, **options: Option) -> Floats:
        """Return the probability that the left item of each pair wins, ties apart; NaN where the
        model knows nothing. Pairs are tuples (left, right) or (left, right, user), or a table with
        these columns. Options are those of ``palate predict``: ``items=frame`` of new items,
        ``users=frame`` and ``votes=frame`` of new voters."""
        if not is_table(pairs) and not isinstance(pairs, (str, os.PathLike)):
            pairs = _pairs(pairs)
        with Workspace() as work:
            args = ["predict", str(self._path), "--pairs", work.input(pairs, "pairs"), "-o", str(work.path / "out.csv")]
            work.run([*args, *work.flags(options)], False)
            said = pyarrow.csv.read_csv(
                work.path / "out.csv",
                convert_options=pyarrow.csv.ConvertOptions(include_columns=["p_left"], column_types={"p_left": pa.float64()}),
                parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
            )
        chances: Floats = said.column("p_left").to_numpy()
        return chances

    def top(self, n: int = 10, users: Iterable[str] | None = None, seen: Any = None, **options: Option) -> Table:
        """Return what each voter likes best: user, rank, item, score, sd. ``seen`` is a file or a
        table of votes; what a voter voted on there is left out."""
        with Workspace() as work:
            out = work.path / "top.parquet"
            chosen = {"users": None if users is None else list(users), "seen": None if seen is None else work.input(seen, "seen")}
            work.run(["top", str(self._path), "-n", str(n), "-o", str(out), *work.flags({**chosen, **options})], False)
            return Table(pyarrow.parquet.read_table(out))

    def neighbours(
        self, n: int = 10, items: Iterable[str] | None = None, users: Iterable[str] | None = None, votes: Any = None, **options: Option
    ) -> Table:
        """Return what is alike in taste: of, rank, neighbour, alike, sd. By default the items nearest
        to each item; with ``users`` the voters nearest to these, or to ``["all"]``; with ``votes``, a
        file or a table, the voters nearest to the new ones there."""
        with Workspace() as work:
            out = work.path / "neighbours.parquet"
            chosen = {
                "items": None if items is None else list(items),
                "users": None if users is None else list(users),
                "votes": None if votes is None else work.input(votes, "votes"),
            }
            work.run(["neighbours", str(self._path), "-n", str(n), "-o", str(out), *work.flags({**chosen, **options})], False)
            return Table(pyarrow.parquet.read_table(out))

    def compare(self, *items: str, user: str | None = None, **options: Option) -> Comparison:
        """Compare two items, or each pair of several: which is better, how surely, by how much."""
        if len(items) < 2:
            raise UsageError("compare takes two items or more")
        return compare(self, of=items, progress=False, user=user, **options)

    def draws(self, n: int = 4000, user: str | None = None, seed: int = 0) -> Draws:
        """Return joint draws of the utilities of all items, of everybody or of a voter; for what no
        board tells, such as the chance that three items are ahead of all others."""
        a = self._export({"draws": n, "user": user, "seed": seed})
        return Draws([str(i) for i in a["items"]], a["draws"], a["weight"], a["score"], a["sd"])

    def tastes(self) -> Floats:
        """Return the score that each voter gives to each item: a row a voter, as in ``users``, and a
        column an item, as in ``items``."""
        tastes: Floats = self._export({"draws": 1, "tastes": True})["tastes"]
        return tastes

    def chart(self, chart: str = "leaderboard", **options: Option) -> Chart:
        """Draw a chart of the model: leaderboard, matrix, voters, factors, disagreement, traits."""
        return plot(chart, self, progress=False, **options)

    def _export(self, options: dict[str, Option]) -> dict[str, Any]:
        with Workspace() as work:
            out = work.path / "arrays.npz"
            work.run(["export", str(self._path), "-o", str(out), *work.flags(options)], False)
            with np.load(out, allow_pickle=False) as arrays:
                return dict(arrays)

    def __repr__(self) -> str:
        voters = f", {len(self.users)} voters" if self.users else ""
        return f"<palate.Model: {self.kind}, {len(self.items)} items{voters}>"


def _pairs(pairs: Iterable[Sequence[str]]) -> pa.Table:
    rows = [tuple(p) for p in pairs]
    if any(len(r) not in (2, 3) for r in rows):
        raise UsageError("pairs are tuples (left, right) or (left, right, user)")
    columns = {name: [r[k] if k < len(r) else None for r in rows] for k, name in enumerate(("left", "right", "user"))}
    if all(u is None for u in columns["user"]):
        del columns["user"]
    return pa.table(columns)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with what votes say as columns of its own."""
    votes = row.pop("votes", None)
    if isinstance(votes, dict):
        row.update({k: votes.get(k) for k in ("won", "lost", "tied")})
    return row
