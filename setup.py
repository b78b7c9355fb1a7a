"""What pyproject.toml cannot say of the Python package: the version, the module in C, and the program tsmc."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "platform", "python"))
import build_package  # noqa: E402  (found by the line before)

build_package.run_setup()
