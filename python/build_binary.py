"""Builds the binary into the wheel, where Go and the sources are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BinaryHook(BuildHookInterface):  # type: ignore[misc]
    """Without Go, or without the sources, the package looks for a binary when it is used."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sources = Path(self.root).parent
        go = shutil.which("go")
        if go is None or not (sources / "cmd" / "palate").is_dir():
            self.app.display_warning("palate: no Go here: the package will use PALATE_BINARY, or a palate on the path")
            return
        name = "palate.exe" if os.name == "nt" else "palate"
        target = Path(self.directory) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=sources, capture_output=True, text=True)
        commit = head.stdout.strip() if head.returncode == 0 else ""
        subprocess.run(
            [go, "build", "-trimpath", "-buildvcs=false", f"-ldflags=-s -w -X main.commit={commit}", "-o", str(target), "./cmd/palate"],
            cwd=sources,
            env={**os.environ, "CGO_ENABLED": "0"},
            check=True,
        )
        build_data["force_include"][str(target)] = f"palate/bin/{name}"
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        for name in ("palate", "palate.exe"):
            (Path(self.directory) / name).unlink(missing_ok=True)
