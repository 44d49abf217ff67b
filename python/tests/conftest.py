"""What tests share: a few votes, and a server."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import palate


@pytest.fixture(scope="session")
def votes() -> list[dict[str, str]]:
    """Votes of six people between five items, of which earlier ones are better."""
    rows = []
    for k in range(120):
        a, b = "abcde"[k % 5], "abcde"[(k + 1 + k // 5 % 4) % 5]
        winner = min(a, b) if k % 6 else max(a, b)
        rows.append({"user": f"v{k % 6}", "left": a, "right": b, "winner": winner})
    return rows


@pytest.fixture(scope="session")
def model(votes: list[dict[str, str]]) -> palate.Model:
    return palate.fit(votes, model="population")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of boards."""
    yield from serving(tmp_path_factory.mktemp("server"), "--db", "b.db", "--key-file", "key")


@pytest.fixture(scope="session")
def served_model(model: palate.Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of a model alone."""
    folder = tmp_path_factory.mktemp("model")
    model.save(folder / "m.palate")
    yield from serving(folder, "--model", "m.palate")


def serving(folder: Path, *args: str) -> Iterator[str]:
    address = folder / "address"
    command = [palate.find_binary(), "serve", "--addr", "127.0.0.1:0", *args, "--address-file", str(address), "--quiet"]
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        while not address.exists():
            assert child.poll() is None, "the server ended"
            time.sleep(0.02)
        yield address.read_text()
    finally:
        child.terminate()
        child.wait(20)
