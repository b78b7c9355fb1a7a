"""What the scripts that make the examples' models share."""
import os
import sys
from typing import List


def without_folder(*classes: type) -> None:
    """Archives name the source files of their lines: for the classes of the script that runs, without its folder, which
    is that of the machine at hand. Also goes to that folder, where TorchScript then looks for the lines."""
    here = os.path.dirname(os.path.abspath(sys.argv[0]))
    os.chdir(here)
    for c in classes:
        for f in vars(c).values():
            if callable(f) and hasattr(f, "__code__"):
                f.__code__ = f.__code__.replace(co_filename=os.path.basename(sys.argv[0]))


def folder_to_write_to(arguments: List[str]) -> str:
    """The folder of the command line, else that of the script."""
    return os.path.abspath(arguments[1] if len(arguments) > 1 else os.path.dirname(os.path.abspath(arguments[0])))
