"""Where the palate binary is, and whether it is the right one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from ._errors import BinaryError

__version__ = version("palate")


def find_binary() -> Path:
    """Return the binary that does the work: the one that PALATE_BINARY names, the one in this
    package, or the first on the path, whichever is there first. It has the version of the
    package, or a BinaryError says which one it has."""
    name = "palate.exe" if os.name == "nt" else "palate"
    named = os.environ.get("PALATE_BINARY")
    own = Path(__file__).with_name("bin") / name
    if named:
        found = Path(named)
        if not found.is_file():
            raise BinaryError(f"PALATE_BINARY is {named}, and there is no such file")
    elif own.is_file():
        found = own
    else:
        on_path = shutil.which("palate")
        if on_path is None:
            raise BinaryError(
                "there is no palate binary: it is not in the package, which was installed without Go, "
                "not on the path, and PALATE_BINARY does not name one. "
                "Install Go and then the package again, or set PALATE_BINARY"
            )
        found = Path(on_path)
    _check(str(found), found.stat().st_mtime_ns)
    return found


@lru_cache(maxsize=8)
def _check(path: str, _changed: int) -> None:
    """Refuse a binary of another version. What is refused is looked at again next time."""
    try:
        done = subprocess.run([path, "version", "--json"], capture_output=True, text=True, timeout=30)
        says = json.loads(done.stdout)["version"] if done.returncode == 0 else None
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as err:
        raise BinaryError(f"{path} is not a palate binary: {err}") from err
    if says is None:
        raise BinaryError(
            f"{path} is of another version than this package, {__version__}: it does not tell its version. "
            "Install the package again, or name another binary with PALATE_BINARY"
        )
    if says != __version__:
        raise BinaryError(
            f"{path} is palate {says}, and this package is for palate {__version__}: "
            "install the one or the other again, or name another binary with PALATE_BINARY"
        )
