# The module that cffi makes; what it declares is written in C, in tsmobile.h.
from typing import Any

ffi: Any
lib: Any
