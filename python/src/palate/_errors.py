"""What can go wrong."""

from __future__ import annotations


class PalateError(Exception):
    """Something went wrong at work. Where it is about a row of an input, ``file`` names the
    input, ``line`` the line of a text file or the row of a table, counted from 1, and
    ``column`` the column. A table that is not a file is named for what it was given as, such
    as ``<votes>``."""

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, column: str | None = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


class UsageError(PalateError, ValueError):
    """An option that is not known or makes no sense."""


class BinaryError(PalateError):
    """There is no palate binary, or it is of another version."""


class ServerError(PalateError):
    """A server said no, or was not there; ``status`` is that of HTTP, 0 without an answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status
