"""Runs the binary: tables as files, options as flags, progress, interrupts, errors."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Union

import pyarrow.parquet

from ._binary import find_binary
from ._errors import PalateError, UsageError
from ._tables import is_table, to_arrow

log = logging.getLogger("palate")

# An option of the command line: a flag with or without a value, a list of values, or a table.
Option = Union[str, int, float, bool, os.PathLike[str], Sequence[Any], Any, None]


@dataclass
class Answer:
    """What a command printed, and what it noted."""

    text: str
    notes: list[str] = field(default_factory=list)


class Workspace:
    """A folder for one command, in which tables become files."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="palate-")
        self.path = Path(self._folder.name)
        self.labels: dict[str, str] = {}

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def input(self, value: Any, name: str) -> str:
        """Return the path of a file, or of one that a table is written to."""
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        path = self.path / f"{len(self.labels)}-{name}.parquet"
        pyarrow.parquet.write_table(to_arrow(value, name), path)
        self.labels[str(path)] = f"<{name}>"
        return str(path)

    def flags(self, options: dict[str, Option]) -> list[str]:
        """Return options as flags: ``skip_bad=True`` is --skip-bad, ``models=["a", "b"]`` is
        --models a,b, ``columns={"user": "worker"}`` is --columns user=worker, and a table becomes
        a file."""
        flags: list[str] = []
        for name, value in options.items():
            flag = "--" + name.replace("_", "-")
            if value is None:
                continue
            if isinstance(value, bool):
                flags.append(f"{flag}={str(value).lower()}")
            elif isinstance(value, Mapping) and all(isinstance(v, str) for v in value.values()):
                flags += [flag, ",".join(f"{k}={v}" for k, v in value.items())]
            elif is_table(value):
                flags += [flag, self.input(value, name)]
            elif isinstance(value, (list, tuple)):
                flags += [flag, ",".join(_quoted(str(v)) for v in value)]
            elif isinstance(value, (str, int, float, os.PathLike)) or hasattr(value, "__index__"):
                flags += [flag, str(value)]
            else:
                raise UsageError(f"{name}: {type(value).__name__} is neither a value nor a table")
        return flags

    def run(self, args: Sequence[str], progress: bool | None = None) -> Answer:
        """Run a command line; ``progress`` None shows it where somebody may look."""
        show = _watched() if progress is None else progress
        child: subprocess.Popen[bytes] = subprocess.Popen(
            [str(find_binary()), *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PALATE_PROGRESS": "json" if show else ""},
            # An interrupt of this process is passed on once, by us.
            creationflags=0x200 if os.name == "nt" else 0,
            start_new_session=os.name != "nt",
        )
        said = _Said(show)
        out: list[bytes] = []
        assert child.stdout is not None
        readers = [
            threading.Thread(target=lambda stream: out.append(stream.read()), args=(child.stdout,), daemon=True),
            threading.Thread(target=said.read, args=(child.stderr,), daemon=True),
        ]
        for r in readers:
            r.start()
        try:
            for r in readers:
                while r.is_alive():
                    r.join(0.1)
            child.wait()
        except BaseException:  # KeyboardInterrupt among others
            _stop(child)
            raise
        finally:
            for r in readers:
                r.join()
            said.clear()
        if child.returncode != 0:
            raise self._error(child.returncode, said)
        for note in said.notes:
            log.info("%s", note)
        return Answer(b"".join(out).decode(), said.notes)

    def _error(self, code: int, said: _Said) -> PalateError:
        """Return the exception for what the command said last."""
        message = said.complaint or f"palate ended with exit code {code}"
        file = line = column = None
        for path, label in self.labels.items():
            if message.startswith(path + ":"):
                file = label
            message = message.replace(path, label)
        place = re.match(r"(?P<file>.+?):(?P<line>\d+): (?:column (?P<column>.+?): )?", message)
        if place:
            file, line, column = place["file"], int(place["line"]), place["column"]
        elif file is None and (plain := re.match(r"(?P<file>[^:\s]+\.\w+): ", message)):
            file = plain["file"]
        kind = UsageError if code == 2 else PalateError
        return kind(message, file=file, line=line, column=column)


def command(name: str, *inputs: Any, progress: bool | None = None, **options: Option) -> str:
    """Run any command of the command line, as in ``command("evaluate", votes, models="single",
    json=True)``, and return what it prints. Inputs are files or tables."""
    with Workspace() as work:
        args = [work.input(v, "votes" if k == 0 else f"input{k + 1}") for k, v in enumerate(inputs)]
        return work.run([name, *args, *work.flags(options)], progress).text


class _Said:
    """What a command says on standard error."""

    def __init__(self, show: bool) -> None:
        self.show = show
        self.notes: list[str] = []
        self.complaint = ""
        self._shown = 0

    def read(self, stream: IO[bytes]) -> None:
        for raw in stream:
            line = raw.decode(errors="replace").rstrip("\n")
            if line.startswith('{"done":'):
                self._draw(line)
            elif line.startswith("note: "):
                self.notes.append(line[len("note: ") :])
            elif line.startswith("palate: "):
                self.complaint = line[len("palate: ") :]

    def _draw(self, line: str) -> None:
        try:
            state = json.loads(line)
        except ValueError:
            return
        done = min(int(20 * state["share"]), 20)
        text = f"[{'=' * done}{' ' * (20 - done)}] {state['what']}"
        if state.get("left", 0) >= 1:
            text += f", about {state['left']:.0f} s left"
        text = text[:100]
        self._write("\r" + text.ljust(self._shown))
        self._shown = len(text)

    def clear(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._write("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        if self.show:
            sys.stderr.write(text)
            sys.stderr.flush()


def _watched() -> bool:
    """Whether somebody looks: at a terminal or a notebook."""
    if "ipykernel" in sys.modules:
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End a command in order: it leaves nothing half-done."""
    if child.poll() is not None:
        return
    child.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)  # type: ignore[attr-defined,unused-ignore]
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _quoted(value: str) -> str:
    """Return one of a list of values as flags read it."""
    if any(c in value for c in ',"\n'):
        return '"' + value.replace('"', '""') + '"'
    return value
