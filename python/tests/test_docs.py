"""The guide runs as it is written."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_guide(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    # Blank what is not Python, so that lines keep their numbers.
    lines, inside = [], False
    for line in text.splitlines():
        if re.match(r"```", line):
            inside = line == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    test = doctest.DocTestParser().get_doctest("\n".join(lines) + "\n", {"server": server}, "python.md", str(PAGE), 0)
    assert len(test.examples) > 40
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    result = runner.run(test, out=said.append)
    assert result.failed == 0, "".join(said)
