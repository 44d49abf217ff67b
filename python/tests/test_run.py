"""Errors, interrupts, progress, and the binary itself."""

from __future__ import annotations

import _thread
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import palate
from palate import _run

Rows = list[dict[str, str]]
ROOT = Path(__file__).parents[2]


def test_errors_have_file_line_and_column(votes: Rows, tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("left,right,winner\na,b,a\na,b,nobody\n")
    with pytest.raises(palate.PalateError, match="nobody") as of_file:
        palate.rank(file)
    assert (of_file.value.file, of_file.value.line, of_file.value.column) == (str(file), 3, "winner")
    bad = [dict(v) for v in votes]
    bad[7]["winner"] = "nobody"
    with pytest.raises(palate.PalateError, match="^<votes>:8: column winner") as of_table:
        palate.fit(bad)
    assert (of_table.value.file, of_table.value.line, of_table.value.column) == ("<votes>", 8, "winner")
    assert palate.rank(bad, model="bt", skip_bad=True).notes
    items = [{"id": i, "size": 1.0} for i in "abcd"] + [{"id": "e", "size": None}]
    with pytest.raises(palate.PalateError, match="^<items>:5: column size"):
        palate.rank(votes, items=items)
    with pytest.raises(palate.UsageError, match="unknown flag"):
        palate.rank(votes, nonsense=3)
    with pytest.raises(palate.PalateError, match="none.csv"):
        palate.rank("none.csv")


def test_an_interrupt_ends_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    palate.command("simulate", items=400, users=60, votes=60000, output=str(tmp_path / "votes.csv"))
    children: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def started(*args: object, **options: object) -> subprocess.Popen[bytes]:
        child = start(*args, **options)  # type: ignore[call-overload]
        if "fit" in args[0]:  # type: ignore[operator]
            children.append(child)
            threading.Timer(0.3, _thread.interrupt_main).start()
        return child

    monkeypatch.setattr(_run.subprocess, "Popen", started)
    # Tests that run in the background of a shell are started with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            palate.fit(tmp_path / "votes.csv", model="population")
    finally:
        signal.signal(signal.SIGINT, before)
    assert children[0].returncode not in (None, 0)
    assert not list((tmp_path / "temporary").iterdir())


def test_progress_is_shown_and_taken_away(votes: Rows, capsys: pytest.CaptureFixture[str]) -> None:
    palate.rank(votes, model="bt", progress=True)
    shown = capsys.readouterr().err
    assert "reading" in shown and "fitting" in shown and shown.endswith("\r")
    palate.rank(votes, model="bt")
    assert capsys.readouterr().err == ""


def a_binary(path: Path, says: str) -> Path:
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="shell scripts")
def test_binaries_that_will_not_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(name: str, why: str) -> None:
        monkeypatch.setenv("PALATE_BINARY", str(tmp_path / name))
        with pytest.raises(palate.BinaryError, match=why):
            palate.find_binary()

    refused("none", "there is no such file")
    a_binary(tmp_path / "old", "echo unknown flag >&2; exit 2")
    refused("old", "does not tell its version")
    a_binary(tmp_path / "new", """echo '{"version":"99.0.0"}'""")
    refused("new", f"is palate 99.0.0, and this package is for palate {re.escape(palate.__version__)}")
    a_binary(tmp_path / "other", "echo hello")
    refused("other", "is not a palate binary")
    monkeypatch.delenv("PALATE_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(palate._binary, "__file__", str(tmp_path / "package" / "_binary.py"))
    with pytest.raises(palate.BinaryError, match="there is no palate binary"):
        palate.find_binary()
    a_binary(tmp_path / "palate", f"""echo '{{"version":"{palate.__version__}"}}'""")
    assert palate.find_binary() == tmp_path / "palate"


def test_versions_are_one() -> None:
    says = re.search(r'const release = "(.+)"', (ROOT / "cmd" / "palate" / "version.go").read_text())
    assert says and says[1] == palate.__version__


def test_the_command_line_is_there() -> None:
    done = subprocess.run([sys.executable, "-m", "palate", "version"], capture_output=True, text=True)
    assert done.returncode == 0 and palate.__version__ in done.stdout


def test_types() -> None:
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
