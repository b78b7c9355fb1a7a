"""The module tsmobile._binding, which cffi writes in C: the functions of tsmobile.h, those of platform.h that it needs,
and what the runtime calls back. Declarations are taken from tsmobile.h itself."""
import os
import re
import shlex
import subprocess
import sysconfig

from cffi import FFI

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(ROOT, "runtime", "include")
LIBRARIES = os.path.join(ROOT, "build", "python", "cmake", "lib")

OTHERS = """
unsigned platform_threads(unsigned threads);
void platform_parallel(void *context, void (*task)(void *argument, size_t index), void *argument, size_t tasks);
uint64_t platform_nanoseconds(void *context);
uint64_t platform_features(void);

extern "Python" void tsmobile_print(void *, const char *, size_t);
extern "Python" void tsmobile_warn(void *, const char *, size_t);
extern "Python" bool tsmobile_write(void *, const char *, uint64_t, const void *, size_t);
"""
# dlpack.h, version 0.x: how arrays are handed over between libraries.
DLPACK = """
typedef struct { int32_t device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *);
} DLManagedTensor;
"""


def declarations():
    """The text of tsmobile.h after the preprocessor, without what it includes and without bodies of functions."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    header = os.path.join(INCLUDE, "tsmobile.h")
    text = subprocess.run([*compiler, "-E", "-DTSM_API=", header], stdout=subprocess.PIPE, text=True, check=True).stdout
    own, is_own = [], False
    for line in text.split("\n"):
        place = re.match(r'# \d+ "(.*)"', line)
        if place:
            is_own = place[1] == header
        elif is_own:
            own.append(line)
    return re.sub(r"static inline ([^{;]*?) \{.*?\n\}", r"\1;", "\n".join(own), flags=re.S)


ffi = FFI()
ffi.cdef(declarations())
ffi.cdef(OTHERS)
ffi.cdef(DLPACK)
ffi.set_source("tsmobile._binding", '#include "tsmobile.h"\n#include "platform/platform.h"\n' + DLPACK,
               include_dirs=[INCLUDE, ROOT], libraries=[] if os.name == "nt" else ["m", "pthread"],
               extra_objects=[os.path.join(LIBRARIES, name) for name in ("libtsmobile_platform.a", "libtsmobile.a")])
