"""Exceptions: one for each status of libtsmobile but TSM_OK, with its text, and a few of the package's own."""
from __future__ import annotations

from typing import Dict, Type

from ._binding import lib


class Error(Exception):
    """Whatever tsmobile refuses; str() is the text of the C interface."""


class ModelError(Error):
    """The program raised an exception: str() is the traceback with the lines of the model's Python code."""

    @property
    def exception(self) -> str:
        """The last line of the traceback: the class of the exception and its text."""
        return str(self).rstrip("\n").rsplit("\n", 1)[-1]


class OutOfMemory(Error, MemoryError):
    """The buffer is too small."""


class BadFile(Error, ValueError):
    """The file, or the state, is damaged or is none."""


class Unsupported(Error, NotImplementedError):
    """The file needs something that this version does not have."""


class BadArgument(Error, TypeError):
    """An argument does not fit the method."""


class OutOfFuel(Error):
    """The limit on executed instructions was reached."""


class TooDeep(Error, RecursionError):
    """The limit on nested calls was reached."""


class InternalFault(Error, RuntimeError):
    """A fault of libtsmobile."""


class Busy(Error, RuntimeError):
    """The program is running, in another thread or around a callback."""


class InUse(Error, RuntimeError):
    """Arrays over the program's buffer are still held."""


class Closed(Error, ValueError):
    """The program is closed."""


class ExportError(Error):
    """tsmc refused the model; str() is what it said."""


class BadOption(ExportError, ValueError):
    """An option of the export is none, or does not fit the others."""


_CLASSES: Dict[int, Type[Error]] = {
    lib.TSM_RAISED: ModelError, lib.TSM_OUT_OF_MEMORY: OutOfMemory, lib.TSM_BAD_FILE: BadFile, lib.TSM_UNSUPPORTED: Unsupported,
    lib.TSM_BAD_ARGUMENT: BadArgument, lib.TSM_OUT_OF_FUEL: OutOfFuel, lib.TSM_TOO_DEEP: TooDeep, lib.TSM_INTERNAL: InternalFault,
}


def error_of(status: int, text: str) -> Error:
    """The exception for a status that is not TSM_OK."""
    return _CLASSES.get(status, Error)(text)
