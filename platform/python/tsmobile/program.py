"""An opened .tsm file with one instance of its program."""
from __future__ import annotations

import collections
import inspect
import keyword
import mmap
import os
import sys
import tempfile
import threading
import warnings
from typing import IO, Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import arrays, values
from ._binding import ffi, lib
from .errors import BadFile, Busy, Closed, InUse, error_of

_ALIGNMENT = 64
_HUGE_PAGE = 1 << 21
_MAP_NORESERVE = 0x4000  # Linux; mmap has a name for it from Python 3.13 on
_MESSAGE_BYTES = 1 << 16
_MOST_BUFFER = 1 << (32 if sys.maxsize > 1 << 32 else 29)


def _text(pointer: Any) -> str:
    return bytes(ffi.string(pointer)).decode("utf-8", "replace")


class Usage(NamedTuple):
    """How much of the buffer is in use, and what the last call executed."""

    buffer_bytes: int
    fixed_bytes: int
    used_bytes: int
    high_water_bytes: int
    instructions: int
    work: int


class ProfileRow(NamedTuple):
    """An operator: how often it ran, how long in all, and the bytes that it made."""

    operator: str
    calls: int
    milliseconds: float
    percent: float
    bytes: int


class Profile(List[ProfileRow]):
    """A table of operators, those that took longest first. print() and notebooks show it, pandas.DataFrame takes it."""

    def __str__(self) -> str:
        lines = ["%10s %6s %8s %12s  operator" % ("ms", "%", "calls", "bytes")]
        lines += ["%10.3f %6.1f %8d %12d  %s" % (r.milliseconds, r.percent, r.calls, r.bytes, r.operator) for r in self]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join("<tr><td>%.3f</td><td>%.1f</td><td>%d</td><td>%d</td><td style='text-align:left'>%s</td></tr>"
                       % (r.milliseconds, r.percent, r.calls, r.bytes, r.operator) for r in self)
        return "<table><tr><th>ms</th><th>%</th><th>calls</th><th>bytes</th><th>operator</th></tr>" + rows + "</table>"


# ---- What the runtime calls ----


class _Surroundings:
    """What a program may reach. An exception of one of these functions ends the call that it was made in."""

    def __init__(self, print_: Callable[[str], Any], warn: Callable[[str], Any], folder: Optional[str]) -> None:
        self.print = print_
        self.warn = warn
        self.folder = None if folder is None else os.path.realpath(folder)
        self.saving: Optional[IO[bytes]] = None
        self.raised: Optional[BaseException] = None

    def write(self, name: str, offset: int, data: Any) -> None:
        """A piece of torch.save(): the file appears whole, or not at all."""
        if self.folder is None:
            raise PermissionError("the program may not write '%s': Program(..., save_folder=FOLDER) lets it" % name)
        path = os.path.realpath(os.path.join(self.folder, name))
        if os.path.commonpath([self.folder, path]) != self.folder or path == self.folder:
            raise PermissionError("'%s' is not below the folder %s" % (name, self.folder))
        if offset == 0:
            self.discard()
            self.saving = tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False)
        if self.saving is None:
            raise ValueError("the pieces of '%s' do not come in order" % name)
        self.saving.write(data)
        if len(data) == 0:
            self.saving.close()
            os.replace(self.saving.name, path)
            self.saving = None

    def discard(self) -> None:
        """Ends a file that was not completed."""
        if self.saving is not None:
            self.saving.close()
            os.unlink(self.saving.name)
            self.saving = None


def _guarded(context: Any, what: Callable[[_Surroundings], Any]) -> bool:
    surroundings: _Surroundings = ffi.from_handle(context)
    try:
        what(surroundings)
        return True
    except BaseException as e:  # it is raised again when the call is over
        surroundings.raised = surroundings.raised or e
        return False


@ffi.def_extern()  # type: ignore[misc]
def tsmobile_print(context: Any, text: Any, n: int) -> None:
    _guarded(context, lambda s: s.print(bytes(ffi.buffer(text, n)).decode("utf-8", "replace")))


@ffi.def_extern()  # type: ignore[misc]
def tsmobile_warn(context: Any, text: Any, n: int) -> None:
    _guarded(context, lambda s: s.warn(bytes(ffi.buffer(text, n)).decode("utf-8", "replace")))


@ffi.def_extern()  # type: ignore[misc]
def tsmobile_write(context: Any, name: Any, offset: int, data: Any, n: int) -> bool:
    return _guarded(context, lambda s: s.write(_text(name), offset, bytes(ffi.buffer(data, n)) if n else b""))


def _print_text(text: str) -> None:
    sys.stdout.write(text)


def _warn_text(text: str) -> None:
    warnings.warn(text, stacklevel=7)  # the line that calls the method


# ---- Memory ----


def _memory(n: int, is_reserved: bool = True) -> mmap.mmap:
    if is_reserved or not sys.platform.startswith("linux"):
        return mmap.mmap(-1, n)
    return mmap.mmap(-1, n, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE)


def _read_file(path: Any) -> Tuple[mmap.mmap, int]:
    """The whole file, in aligned memory of our own: what somebody does to the file later does no harm."""
    with open(path, "rb", buffering=0) as f:
        size = os.fstat(f.fileno()).st_size
        memory, n = _memory(max(size, 1)), 0
        with memoryview(memory) as room:
            while n < size:
                got = f.readinto(room[n:size])
                if not got:
                    break
                n += got
        if n or size:
            return memory, n
        return _copy_of(f.read())


def _copy_of(data: bytes) -> Tuple[mmap.mmap, int]:
    memory = _memory(max(len(data), 1))
    memory[:len(data)] = data
    return memory, len(data)


def _free_buffer() -> Tuple[mmap.mmap, int]:
    """As much as the system gives without claiming it."""
    wanted = _MOST_BUFFER
    while True:
        try:
            return _memory(wanted, is_reserved=False), wanted
        except (OSError, ValueError, MemoryError):
            if wanted <= 1 << 20:
                raise
            wanted //= 2


class _File:
    """A verified file, which several programs may share."""

    def __init__(self, source: Any, use_mmap: bool, check: bool) -> None:
        if use_mmap:
            with open(source, "rb") as f:
                self.memory, self.bytes = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ), os.fstat(f.fileno()).st_size
        elif isinstance(source, (str, os.PathLike)):
            self.memory, self.bytes = _read_file(source)
        else:
            self.memory, self.bytes = _copy_of(memoryview(source).cast("B"))
        self.pointer = ffi.from_buffer(self.memory)
        self.program = ffi.new("tsm_program *")
        message = ffi.new("char[1024]")
        status = lib.tsm_program_open(self.program, self.pointer, self.bytes, message, 1024)
        if status == lib.TSM_OK and check:
            status = lib.tsm_program_check_sums(self.program, message, 1024)
            if status == lib.TSM_UNSUPPORTED:  # an older tsmc wrote no checksums
                status = lib.TSM_OK
        if status != lib.TSM_OK:
            raise error_of(status, _text(message))
        self.methods = {_text(lib.tsm_method_name(self.program, i)): i for i in range(lib.tsm_method_count(self.program))}
        self.types: Dict[int, List[values.TypeTree]] = {}
        self.results: Dict[int, Any] = {}

    def inputs(self, method: int) -> List[Any]:
        return [lib.tsm_method_input(self.program, method, i) for i in range(lib.tsm_method_arguments(self.program, method))]

    def outputs(self, method: int) -> List[Any]:
        return [lib.tsm_method_output(self.program, method, i) for i in range(lib.tsm_method_outputs(self.program, method))]

    def input_types(self, method: int) -> List[values.TypeTree]:
        if method not in self.types:
            self.types[method] = [values.type_tree(_text(v.type)) for v in self.inputs(method)]
        return self.types[method]

    def result_type(self, method: int) -> Any:
        """A class for the NamedTuple that the method gives; None where it gives none."""
        if method not in self.results:
            names = [_text(v.name) for v in self.outputs(method)]
            is_named = bool(names) and all(n.isidentifier() and not keyword.iskeyword(n) for n in names)
            self.results[method] = collections.namedtuple("Result", names, rename=True) if is_named else None
        return self.results[method]

    def info(self) -> Dict[str, Any]:
        p = self.program
        value = ffi.new("const char **")
        metadata = [{"key": _text(lib.tsm_metadata_get(p, i, value)), "value": _text(value[0])} for i in range(lib.tsm_metadata_count(p))]
        return {"bytes": p.file_bytes, "tensor_bytes": p.segment_bytes, "producer": _text(lib.tsm_producer(p)),
                "test_cases": lib.tsm_bundle_count(p), "metadata": metadata,
                "methods": [self._method_info(name, i) for name, i in self.methods.items()]}

    def _method_info(self, name: str, i: int) -> Dict[str, Any]:
        p = self.program
        return {"name": name, "schema": _text(lib.tsm_method_schema(p, i)), "doc": _text(lib.tsm_method_doc(p, i)),
                "inputs": [_value_info(v) for v in self.inputs(i)], "outputs": [_value_info(v) for v in self.outputs(i)],
                "buffer_bytes": lib.tsm_method_bytes(p, i)}


def _value_info(v: Any) -> Dict[str, Any]:
    made: Dict[str, Any] = {"name": _text(v.name), "type": _text(v.type)}
    if v.dtype >= 0:
        made["dtype"] = _text(lib.tsm_dtype_name(v.dtype))
    if v.rank >= 0:
        made["sizes"] = list(v.sizes[0:v.rank])
    return made


# ---- Programs ----


class Method:
    """A method of a program. Calling it gives values that stay valid: elements of tensors are copied."""

    def __init__(self, program: "Program", name: str, index: int) -> None:
        self._program = program
        self._index = index
        self.__name__ = name
        self.__doc__ = self.schema
        doc = _text(lib.tsm_method_doc(program._file.program, index))
        if doc:
            self.__doc__ += "\n\n" + doc

    @property
    def schema(self) -> str:
        """As TorchScript prints it: "forward(Tensor x, int n=1) -> Tensor"."""
        return _text(lib.tsm_method_schema(self._program._file.program, self._index))

    @property
    def buffer_bytes(self) -> int:
        """The buffer that a call needs with arguments as in the file's example; 0: it is not known."""
        return int(lib.tsm_method_bytes(self._program._file.program, self._index))

    @property
    def __signature__(self) -> inspect.Signature:
        kind, none, defaults = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty, values.defaults_of(self.schema)
        names = [_text(v.name) or "argument%d" % i for i, v in enumerate(self._program._file.inputs(self._index))]
        return inspect.Signature([inspect.Parameter(name, kind, annotation=_text(v.type) or Any, default=defaults.get(name, none))
                                  for name, v in zip(names, self._program._file.inputs(self._index))])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._program._call(self._index, args, kwargs, is_copied=True)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the method without copying results: tensors become arrays over the program's buffer, which may not be
        written to. Their memory is not used for anything else while they are held, and the program refuses reset() and
        load_state(); an attribute that a later call changes changes in them, too."""
        return self._program._call(self._index, args, kwargs, is_copied=False)

    def or_restore(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the method, all or nothing: where the call fails, attributes are as they were before it."""
        return self._program._call(self._index, args, kwargs, is_copied=True, call=lib.tsm_call_or_restore)

    def __repr__(self) -> str:
        return "<method %s>" % self.schema


class Program:
    """An opened .tsm file with one instance of its program: what its methods change of the module's attributes stays.

    Methods of the model are attributes: `program.forward(x)`; `program(x)` is forward, or the only method.
    One whose name the class has itself is in `program.methods`.

    file          a path, or the bytes of a file
    buffer_bytes  the memory in which the program runs; None: as much as it needs
    threads       that operators may use
    fuel          the most instructions, and units of work, that one call may take; 0: no limit
    profile       count time and bytes by operator, for profile()
    check         compare the file with its checksums
    use_mmap      map the file instead of reading it: nobody may write to it while it is open
    print, warn   functions that take the texts of print() and of warnings
    save_folder   torch.save() of the program may write files below this folder; None: it fails
    """

    def __init__(self, file: Any, *, buffer_bytes: Optional[int] = None, threads: int = 1, fuel: int = 0, profile: bool = False,
                 check: bool = True, use_mmap: bool = False, print: Callable[[str], Any] = _print_text,
                 warn: Callable[[str], Any] = _warn_text, save_folder: "Union[str, os.PathLike[str], None]" = None) -> None:
        self._inst: Any = None
        self._settings: Dict[str, Any] = {"buffer_bytes": buffer_bytes, "threads": threads, "fuel": fuel, "profile": profile, "print": print,
                                          "warn": warn, "save_folder": save_folder}
        self._file = file if isinstance(file, _File) else _File(file, use_mmap, check)
        self._lock = threading.Lock()
        # Tensors over memory of Python that the program keeps, and what keeps that memory.
        self._held: List[Tuple[Any, Any]] = []
        self._kept: List[Any] = []  # such memory, until the instance is as at the beginning
        self._views: Dict[int, Any] = {}  # values of arrays over the buffer
        self._gone: "collections.deque[int]" = collections.deque()  # the numbers of those that are no longer held
        self._view_number = 0
        self._surroundings = _Surroundings(print, warn, None if save_folder is None else os.fspath(save_folder))
        self._handle = ffi.new_handle(self._surroundings)
        self._make_instance(buffer_bytes, threads, fuel, profile)

    def _make_instance(self, buffer_bytes: Optional[int], threads: int, fuel: int, profile: bool) -> None:
        self._message = ffi.new("char[]", _MESSAGE_BYTES)
        options: Any = ffi.new("tsm_options *", {"size": ffi.sizeof("tsm_options"), "fuel": fuel, "message": self._message,
                                            "message_bytes": _MESSAGE_BYTES, "profile": profile})
        platform = {"context": self._handle, "print": lib.tsmobile_print, "warn": lib.tsmobile_warn, "write": lib.tsmobile_write,
                    "nanoseconds": ffi.addressof(lib, "platform_nanoseconds"), "features": lib.platform_features()}
        if threads > 1 and lib.platform_threads(threads) > 1:
            platform["parallel"] = ffi.addressof(lib, "platform_parallel")
        options.platform = platform
        self._buffer, n = _free_buffer() if buffer_bytes is None else (_memory(max(buffer_bytes, 1)), buffer_bytes)
        self._pointer: Any = ffi.from_buffer("char[]", self._buffer, require_writable=True)
        skip = -int(ffi.cast("uintptr_t", self._pointer)) % _HUGE_PAGE if buffer_bytes is None else 0
        self._expect_use(skip)
        inst = ffi.new("tsm_instance **")
        status = lib.tsm_instance_init(inst, self._file.program, options, ffi.addressof(self._pointer, skip) if skip else self._pointer, n - skip)
        if status != lib.TSM_OK:
            raise error_of(status, _text(self._message))
        self._inst = inst[0]

    def _expect_use(self, skip: int) -> None:
        """Large pages where the file says that much will be needed: the first touch of each costs time."""
        needs = [lib.tsm_method_bytes(self._file.program, i) for i in range(len(self._file.methods))]
        whole = (max(needs, default=0) + _HUGE_PAGE // 2) // _HUGE_PAGE * _HUGE_PAGE
        if whole and hasattr(mmap, "MADV_HUGEPAGE") and skip + whole <= len(self._buffer):
            try:
                self._buffer.madvise(mmap.MADV_HUGEPAGE, skip, whole)
            except OSError:  # a hint that a kernel may not know
                pass

    # ---- One call at a time ----

    def _enter(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise Busy("the program is running; clone() makes another one for another thread")
        if self._inst is None:
            self._lock.release()
            raise Closed("the program is closed")
        self._sweep()

    def _leave(self) -> None:
        self._lock.release()

    def _sweep(self) -> None:
        """Releases what nobody holds any more."""
        while self._gone:
            lib.tsm_release(self._inst, self._views.pop(self._gone.popleft())[0])
        if self._held:
            self._settle(self._held)

    def _settle(self, wrapped: List[Tuple[Any, Any]]) -> None:
        """Releases tensors over memory of Python; those that the program still refers to are held, with that memory."""
        held = []
        for v, memory in wrapped:
            if lib.tsm_is_shared(v[0]):
                held.append((v, memory))
            else:
                lib.tsm_release(self._inst, v[0])
        if wrapped is self._held:
            self._held = held
        else:
            self._held += held

    def _raise(self, status: int) -> None:
        raised, self._surroundings.raised = self._surroundings.raised, None
        if raised is not None:
            raise raised
        if status != lib.TSM_OK:
            raise error_of(status, _text(lib.tsm_error(self._inst)))

    # ---- Calls ----

    def _bind(self, method: int, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> List[Any]:
        """The arguments by position. What is too many or missing libtsmobile says."""
        bound = list(args)
        if not kwargs:
            return bound
        names = [_text(v.name) for v in self._file.inputs(method)]
        for name in kwargs:
            if name not in names:
                raise TypeError("the method has no argument '%s'; its arguments are %s" % (name, ", ".join(n or "?" for n in names)))
            if names.index(name) < len(args):
                raise TypeError("argument '%s' is given twice" % name)
        last = max(names.index(name) for name in kwargs)
        given = {**values.defaults_of(_text(lib.tsm_method_schema(self._file.program, method))), **kwargs}
        for name in names[len(args):last + 1]:
            if given.get(name, ...) is ...:
                raise TypeError("argument '%s' must be given, too, as one behind it is" % name)
            bound.append(given[name])
        return bound

    def _call(self, method: int, args: Tuple[Any, ...], kwargs: Dict[str, Any], is_copied: bool, call: Any = lib.tsm_call) -> Any:
        bound = self._bind(method, args, kwargs) if kwargs else args
        self._enter()
        maker = values.Maker(self._inst)
        try:
            types = self._file.input_types(method)
            given = ffi.new("tsm_value[]", max(len(bound), 1))
            for i, x in enumerate(bound):
                given[i] = maker.put(x, types[i] if i < len(types) else values.UNKNOWN)
            result = ffi.new("tsm_value *")
            status = call(self._inst, method, given, len(bound), result)
            try:
                self._raise(status)
                return self._result(method, result[0], is_copied)
            finally:
                lib.tsm_release(self._inst, result[0])
        finally:
            maker.release()
            self._settle(maker.wrapped)
            self._surroundings.discard()
            self._leave()

    def _result(self, method: int, v: Any, is_copied: bool) -> Any:
        result = values.Taker(self._inst, None if is_copied else self._view).take(v)
        named = self._file.result_type(method) if isinstance(result, tuple) else None
        return named(*result) if named is not None and len(named._fields) == len(result) else result

    def _view(self, v: Any, t: Any, dtype: "np.dtype[Any]") -> "np.ndarray[Any, Any]":
        """An array over a tensor's memory, which holds the tensor and the program."""
        self._view_number += 1
        number = self._view_number
        own = ffi.new("tsm_value *", v)
        lib.tsm_retain(v)
        self._views[number] = own
        program = self

        def give_back(_: Any) -> None:
            program._gone.append(number)

        data = ffi.gc(ffi.cast("char *", t.data), give_back)
        array = arrays.over_memory(data, dtype, tuple(t.sizes[0:t.dims]), tuple(t.strides[0:t.dims]))
        array.flags.writeable = False
        return array

    @property
    def methods(self) -> Mapping[str, Method]:
        """The methods by name."""
        return {name: Method(self, name, i) for name, i in self._file.methods.items()}

    def __getattr__(self, name: str) -> Method:
        file = self.__dict__.get("_file")
        if file is None or name not in file.methods:
            raise AttributeError("the program has no method '%s'%s" % (name, "; it has %s" % ", ".join(file.methods) if file else ""))
        return Method(self, name, file.methods[name])

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self._file.methods})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "forward" not in self._file.methods and len(self._file.methods) != 1:
            raise TypeError("choose a method; the program has %s" % ", ".join(self._file.methods))
        return self._call(self._file.methods.get("forward", 0), args, kwargs, is_copied=True)

    # ---- State ----

    def _check_free(self) -> None:
        """Values from earlier calls must be gone before the instance's memory is laid out again."""
        if self._views:
            raise InUse("%d array(s) over the program's buffer are still held; copies of them may be kept" % len(self._views))
        for v, memory in self._held:
            lib.tsm_release(self._inst, v[0])
            self._kept.append(memory)
        self._held = []

    def reset(self) -> None:
        """Puts all attributes back to what the file holds, and random numbers back to their beginning."""
        self._enter()
        try:
            self._check_free()
            self._raise(lib.tsm_instance_reset(self._inst))
            self._kept = []
        finally:
            self._leave()

    def save_state(self) -> bytes:
        """What the program has changed of its attributes, for load_state() of a program of the same file, on whatever
        machine."""
        self._enter()
        try:
            needed = ffi.new("size_t *")
            self._raise(lib.tsm_instance_save(self._inst, ffi.NULL, 0, needed))
            memory = ffi.new("char[]", max(needed[0], 1))
            self._raise(lib.tsm_instance_save(self._inst, memory, needed[0], needed))
            return bytes(ffi.buffer(memory, needed[0]))
        finally:
            self._leave()

    def load_state(self, state: Any) -> None:
        """Brings the program to a state that save_state() gave. A state that is refused leaves it as it was, or, when
        the buffer is too small, as reset() does."""
        memory = ffi.from_buffer(state)
        self._enter()
        try:
            self._check_free()
            self._raise(lib.tsm_instance_load(self._inst, memory, len(memory)))
            self._kept = []
        finally:
            self._leave()

    # ---- Questions ----

    @property
    def info(self) -> Dict[str, Any]:
        """What the file says of itself, as `tsmrun --info --json` prints it."""
        return self._file.info()

    @property
    def usage(self) -> Usage:
        """How much of the buffer is in use, and what the last call executed."""
        self._enter()
        try:
            u = lib.tsm_instance_usage(self._inst)
            return Usage(*(getattr(u, name) for name in Usage._fields))
        finally:
            self._leave()

    def profile(self) -> Profile:
        """Where the time of all calls so far went, by operator; for a Program(..., profile=True)."""
        if not self._settings["profile"]:
            raise ValueError("the program does not count: open it with profile=True")
        self._enter()
        try:
            rows = list(self._profile_rows())
        finally:
            self._leave()
        total = sum(r.nanoseconds for r in rows) or 1
        rows.sort(key=lambda r: -int(r.nanoseconds))
        return Profile(ProfileRow(_text(r.name), r.calls, r.nanoseconds / 1e6, 100 * r.nanoseconds / total, r.bytes) for r in rows)

    def _profile_rows(self) -> Iterator[Any]:
        number, row = 0, ffi.new("tsm_profile_row *")
        while lib.tsm_profile_get(self._inst, number, row):
            if row.calls:
                yield row
            number, row = number + 1, ffi.new("tsm_profile_row *")

    # ---- Lifetime ----

    def clone(self) -> "Program":
        """Another instance of the same file, in the state that the file holds: for another thread."""
        if self._inst is None:
            raise Closed("the program is closed")
        return Program(self._file, **self._settings)

    def close(self) -> None:
        """Ends the program. Arrays over its buffer stay valid. Closing twice does nothing."""
        if self._inst is None:
            return
        self._enter()
        self._inst = None
        if not self._views:  # else their arrays hold this object, and with it the memory
            self._pointer = None
            del self._buffer
            self._held, self._kept = [], []
        self._leave()

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<tsmobile.Program: %s%s>" % ("; ".join(_text(lib.tsm_method_schema(self._file.program, i)) for i in self._file.methods.values()),
                                             ", closed" if self._inst is None else "")


__all__ = ["BadFile", "Method", "Profile", "ProfileRow", "Program", "Usage"]
