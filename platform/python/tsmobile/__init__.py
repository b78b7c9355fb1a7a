"""tsmobile: exports TorchScript models to .tsm files and runs them, without PyTorch.

    import tsmobile
    tsmobile.export("model.pt", "model.tsm")
    program = tsmobile.Program("model.tsm")
    y = program.forward(x)                      # numpy arrays in and out

docs/python.md of the project describes all of it."""
from ._binding import lib as _lib
from .arrays import Tensor
from .errors import (BadArgument, BadFile, BadOption, Busy, Closed, Error, ExportError, InternalFault, InUse, ModelError, OutOfFuel,
                     OutOfMemory, TooDeep, Unsupported)
from .export import export
from .program import Method, Profile, ProfileRow, Program, Usage
from .report import Report, report
from .values import EnumMember, Object

_number = _lib.tsm_version()
__version__ = "%d.%d.%d" % (_number // 10000, _number // 100 % 100, _number % 100)

__all__ = ["BadArgument", "BadFile", "BadOption", "Busy", "Closed", "EnumMember", "Error", "ExportError", "InUse", "InternalFault", "Method",
           "ModelError", "Object", "OutOfFuel", "OutOfMemory", "Profile", "ProfileRow", "Program", "Report", "Tensor", "TooDeep", "Unsupported",
           "Usage", "export", "report"]
