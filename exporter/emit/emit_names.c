/* Names that are not variables: those of serialized code, Python's builtins, and the parts of torch and math. */
#include <math.h>
#include <string.h>

#include "exporter/emit/emit.h"
#include "exporter/emit/emit_module.h"
#include "exporter/program/builtins.h"
#include "exporter/python/py_eval.h"

typedef struct {
    const char *name, *op;
} name_pair;

static const char *find_pair(const name_pair *pairs, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(pairs[i].name, name))
            return pairs[i].op;
    return NULL;
}
#define FIND(pairs, name) find_pair(pairs, sizeof pairs / sizeof *pairs, name)

/* Python's builtin functions that are operators. */
static const name_pair builtin_operators[] = {
    {"int", "aten::Int"},         {"float", "aten::Float"},
    {"bool", "aten::Bool"},       {"str", "aten::str"},
    {"complex", "aten::Complex"}, {"sorted", "aten::sorted"},
    {"len", "aten::len"},         {"hex", "aten::hex"},
    {"oct", "aten::oct"},         {"bin", "aten::bin"},
    {"round", "aten::round"},     {"hash", "aten::hash"},
    {"min", "prim::min"},         {"max", "prim::max"},
    {"abs", "prim::abs"},         {"all", "aten::all"},
    {"any", "aten::any"},         {"divmod", "aten::divmod"},
    {"sum", "aten::sum"},         {"list", "aten::list"},
    {"ord", "aten::ord"},         {"chr", "aten::chr"},
    {"pow", "aten::pow"},         {"dict", "aten::dict"},
    {"id", "prim::id"},           {"rangelist", "prim::rangelist"},
};

const char *emit_builtin_operator(const char *name) {
    return FIND(builtin_operators, name);
}

/* Calls that no operator schema can describe: they depend on their arguments' types, or take types as arguments. */
static const char *const special_forms[] = {"isinstance", "getattr", "hasattr", "print", "range", "zip",   "enumerate",
                                            "tuple",      "int",     "float",   "bool",  "str",   "list",  "dict",
                                            "len",        "complex", "hex",     "oct",   "round", "slice", NULL};
static const char *const serialized_forms[] = {"annotate", "unchecked_cast", "uninitialized",
                                               "fork",     "awaitable",      NULL};

/* ---- Serialized code ---- */

static sugared serialized_name(const char *name) {
    if (!strcmp(name, "torch"))
        return sugar_named(SUGAR_NAMESPACE, "aten");
    if (!strcmp(name, "ops"))
        return sugar_named(SUGAR_OPS, name);
    if (!strcmp(name, "__torch__"))
        return sugar_named(SUGAR_PATH, name);
    if (!strcmp(name, "CONSTANTS"))
        return sugar_named(SUGAR_CONSTANTS, name);
    if (!strcmp(name, "device"))
        return sugar_named(SUGAR_OPERATOR, "aten::device");
    if (text_is_among(name, serialized_forms))
        return sugar_named(SUGAR_SPECIAL, name);
    return sugar_named(SUGAR_UNDEFINED, NULL);
}

/* ---- Python ---- */

/* Python's builtins for which PyTorch has an error message of its own. */
static const char *const refused_builtins[] = {
    "repr",    "iter", "input", "issubclass", "ascii",   "setattr", "vars", "breakpoint", "callable",   "compile",
    "delattr", "dir",  "eval",  "exec",       "globals", "locals",  "open", "format",     "__import__", NULL};

/* Python's builtins that PyTorch compiles as calls of Python functions (see emit_python_call). */
static const char *const python_functions[] = {"map",        "filter",        "reversed",      "set",
                                               "type",       "frozenset",     "bytes",         "bytearray",
                                               "memoryview", "object",        "super",         "KeyboardInterrupt",
                                               "SystemExit", "BaseException", "GeneratorExit", NULL};

static const char *const exceptions[] = {"ArithmeticError",
                                         "AssertionError",
                                         "AttributeError",
                                         "BlockingIOError",
                                         "BrokenPipeError",
                                         "BufferError",
                                         "BytesWarning",
                                         "ChildProcessError",
                                         "ConnectionAbortedError",
                                         "ConnectionError",
                                         "ConnectionRefusedError",
                                         "ConnectionResetError",
                                         "DeprecationWarning",
                                         "EOFError",
                                         "EncodingWarning",
                                         "Exception",
                                         "ExceptionGroup",
                                         "FileExistsError",
                                         "FileNotFoundError",
                                         "FloatingPointError",
                                         "FutureWarning",
                                         "ImportError",
                                         "ImportWarning",
                                         "IndentationError",
                                         "IndexError",
                                         "InterruptedError",
                                         "IsADirectoryError",
                                         "KeyError",
                                         "LookupError",
                                         "MemoryError",
                                         "ModuleNotFoundError",
                                         "NameError",
                                         "NotADirectoryError",
                                         "NotImplementedError",
                                         "OSError",
                                         "OverflowError",
                                         "PendingDeprecationWarning",
                                         "PermissionError",
                                         "ProcessLookupError",
                                         "RecursionError",
                                         "ReferenceError",
                                         "ResourceWarning",
                                         "RuntimeError",
                                         "RuntimeWarning",
                                         "StopAsyncIteration",
                                         "StopIteration",
                                         "SyntaxError",
                                         "SyntaxWarning",
                                         "SystemError",
                                         "TabError",
                                         "TimeoutError",
                                         "TypeError",
                                         "UnboundLocalError",
                                         "UnicodeDecodeError",
                                         "UnicodeEncodeError",
                                         "UnicodeError",
                                         "UnicodeTranslateError",
                                         "UnicodeWarning",
                                         "UserWarning",
                                         "ValueError",
                                         "Warning",
                                         "ZeroDivisionError",
                                         NULL};

static sugared python_name(emitter *e, const char *name, source_range range) {
    sugared s = emit_python_name(e, name, range);
    if (s.kind != SUGAR_UNDEFINED)
        return s;
    if (text_is_among(name, exceptions))
        return sugar_named(SUGAR_EXCEPTION, name);
    if (!strcmp(name, "IOError") || !strcmp(name, "EnvironmentError"))
        return sugar_named(SUGAR_EXCEPTION, "OSError");
    if (text_is_among(name, python_functions))
        return sugar_named(SUGAR_PYTHON_CALL, name);
    if (!strcmp(name, "NotImplemented"))
        return sugar_named(SUGAR_PYTHON, "NotImplementedType");
    if (text_is_among(name, refused_builtins))
        source_fail(range, "Python builtin <built-in function %s> is currently not supported in Torchscript", name);
    return s;
}

sugared emit_global_name(emitter *e, const char *name, source_range range) {
    sugared s = e->is_python ? python_name(e, name, range) : serialized_name(name);
    if (s.kind != SUGAR_UNDEFINED)
        return s;
    if (text_is_among(name, special_forms))
        return sugar_named(SUGAR_SPECIAL, name);
    const char *op = emit_builtin_operator(name);
    return op ? sugar_named(SUGAR_OPERATOR, op) : s;
}

/* ---- Packages ---- */

static const name_pair math_functions[] = {
    {"acos", "aten::acos"},
    {"acosh", "aten::acosh"},
    {"asin", "aten::asin"},
    {"asinh", "aten::asinh"},
    {"atan", "aten::atan"},
    {"atan2", "aten::atan2"},
    {"atanh", "aten::atanh"},
    {"ceil", "aten::ceil"},
    {"copysign", "aten::copysign"},
    {"cos", "aten::cos"},
    {"cosh", "aten::cosh"},
    {"degrees", "aten::degrees"},
    {"erf", "aten::erf"},
    {"erfc", "aten::erfc"},
    {"exp", "aten::exp"},
    {"expm1", "aten::expm1"},
    {"fabs", "aten::fabs"},
    {"factorial", "aten::factorial"},
    {"floor", "aten::floor"},
    {"fmod", "aten::fmod"},
    {"frexp", "aten::frexp"},
    {"gamma", "aten::gamma"},
    {"gcd", "aten::gcd"},
    {"isinf", "aten::isinf"},
    {"isnan", "aten::isnan"},
    {"isfinite", "aten::isfinite"},
    {"ldexp", "aten::ldexp"},
    {"lgamma", "aten::lgamma"},
    {"log", "aten::log"},
    {"log10", "aten::log10"},
    {"log1p", "aten::log1p"},
    {"modf", "aten::modf"},
    {"pow", "aten::pow"},
    {"radians", "aten::radians"},
    {"remainder", "aten::mathremainder"},
    {"sin", "aten::sin"},
    {"sinh", "aten::sinh"},
    {"sqrt", "aten::sqrt"},
    {"tan", "aten::tan"},
    {"tanh", "aten::tanh"},
};

/* Constants of modules: dtypes, layouts and memory formats are the integers that PyTorch numbers them by. */
static const struct {
    const char *package, *name;
    bool is_real;
    int64_t integer;
    double real;
} package_constants[] = {
    {"math", "pi", true, 0, 3.14159265358979323846},
    {"math", "e", true, 0, 2.7182818284590452354},
    {"math", "tau", true, 0, 6.28318530717958647692},
    {"math", "inf", true, 0, (double)INFINITY},
    {"math", "nan", true, 0, (double)NAN},
    {"torch", "pi", true, 0, 3.14159265358979323846},
    {"torch", "inf", true, 0, (double)INFINITY},
    {"torch", "nan", true, 0, (double)NAN},
    {"torch", "uint8", false, 0, 0},
    {"torch", "byte", false, 0, 0},
    {"torch", "int8", false, 1, 0},
    {"torch", "char", false, 1, 0},
    {"torch", "int16", false, 2, 0},
    {"torch", "short", false, 2, 0},
    {"torch", "int32", false, 3, 0},
    {"torch", "int", false, 3, 0},
    {"torch", "int64", false, 4, 0},
    {"torch", "long", false, 4, 0},
    {"torch", "float16", false, 5, 0},
    {"torch", "half", false, 5, 0},
    {"torch", "float32", false, 6, 0},
    {"torch", "float", false, 6, 0},
    {"torch", "float64", false, 7, 0},
    {"torch", "double", false, 7, 0},
    {"torch", "complex32", false, 8, 0},
    {"torch", "complex64", false, 9, 0},
    {"torch", "cfloat", false, 9, 0},
    {"torch", "complex128", false, 10, 0},
    {"torch", "cdouble", false, 10, 0},
    {"torch", "bool", false, 11, 0},
    {"torch", "qint8", false, 12, 0},
    {"torch", "quint8", false, 13, 0},
    {"torch", "qint32", false, 14, 0},
    {"torch", "bfloat16", false, 15, 0},
    {"torch", "float8_e5m2", false, 23, 0},
    {"torch", "float8_e4m3fn", false, 24, 0},
    {"torch", "float8_e5m2fnuz", false, 25, 0},
    {"torch", "float8_e4m3fnuz", false, 26, 0},
    {"torch", "uint16", false, 27, 0},
    {"torch", "uint32", false, 28, 0},
    {"torch", "uint64", false, 29, 0},
    {"torch", "strided", false, 0, 0},
    {"torch", "sparse_coo", false, 1, 0},
    {"torch", "sparse_csr", false, 2, 0},
    {"torch", "contiguous_format", false, 0, 0},
    {"torch", "preserve_format", false, 1, 0},
    {"torch", "channels_last", false, 2, 0},
    {"torch", "channels_last_3d", false, 3, 0},
    {"torch", "per_tensor_affine", false, 0, 0},
    {"torch", "per_channel_affine", false, 1, 0},
    {"torch", "per_tensor_symmetric", false, 2, 0},
    {"torch", "per_channel_symmetric", false, 3, 0},
    {"torch", "per_channel_affine_float_qparams", false, 4, 0},
};

ir_constant *package_number(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof package_constants / sizeof *package_constants; i++) {
        const size_t n = strlen(package_constants[i].package);
        if (!package_constants[i].is_real && (size_t)(dot - path) == n &&
            !strncmp(path, package_constants[i].package, n) && !strcmp(dot + 1, package_constants[i].name))
            return const_int(package_constants[i].integer);
    }
    return NULL;
}

static bool find_package_constant(emitter *e, const char *package, const char *name, source_range range, sugared *out) {
    for (size_t i = 0; i < sizeof package_constants / sizeof *package_constants; i++)
        if (!strcmp(package_constants[i].package, package) && !strcmp(package_constants[i].name, name)) {
            bool is_real = package_constants[i].is_real;
            ir_constant *c = is_real ? const_float(package_constants[i].real) : const_int(package_constants[i].integer);
            *out = sugar_value(emit_constant(e, c, range));
            return true;
        }
    return false;
}

/* Functions that are operators, but not found by the rule of operator_packages: names or packages differ. */
static const name_pair renamed_operators[] = {
    {"torch.nn.functional.linear", "aten::linear"},
    {"torch.nn.functional.scaled_dot_product_attention", "aten::scaled_dot_product_attention"},
    {"torch.nn.functional.conv1d", "aten::conv1d"},
    {"torch.nn.functional.conv2d", "aten::conv2d"},
    {"torch.nn.functional.conv3d", "aten::conv3d"},
    {"torch.nn.functional.conv_transpose1d", "aten::conv_transpose1d"},
    {"torch.nn.functional.conv_transpose2d", "aten::conv_transpose2d"},
    {"torch.nn.functional.conv_transpose3d", "aten::conv_transpose3d"},
    {"torch.nn.functional.avg_pool1d", "aten::avg_pool1d"},
    {"torch.nn.functional.avg_pool2d", "aten::avg_pool2d"},
    {"torch.nn.functional.avg_pool3d", "aten::avg_pool3d"},
    {"torch.nn.functional.adaptive_avg_pool1d", "aten::adaptive_avg_pool1d"},
    {"torch.nn.functional.gelu", "aten::gelu"},
    {"torch.nn.functional.logsigmoid", "aten::log_sigmoid"},
    {"torch.nn.functional.softplus", "aten::softplus"},
    {"torch.nn.functional.softshrink", "aten::softshrink"},
    {"torch.nn.functional.prelu", "aten::prelu"},
    {"torch.nn.functional.relu_", "aten::relu_"},
    {"torch.nn.functional.elu_", "aten::elu_"},
    {"torch.nn.functional.celu_", "aten::celu_"},
    {"torch.nn.functional.selu_", "aten::selu_"},
    {"torch.nn.functional.leaky_relu_", "aten::leaky_relu_"},
    {"torch.nn.functional.hardtanh_", "aten::hardtanh_"},
    {"torch.nn.functional.rrelu_", "aten::rrelu_"},
    {"torch.nn.functional.threshold_", "aten::threshold_"},
    {"torch.nn.functional.bilinear", "aten::bilinear"},
    {"torch.nn.functional.pad", "aten::pad"},
    {"torch.nn.functional.one_hot", "aten::one_hot"},
    {"torch.nn.functional.pdist", "aten::pdist"},
    {"torch.nn.functional.cosine_similarity", "aten::cosine_similarity"},
    {"torch.nn.functional.pixel_shuffle", "aten::pixel_shuffle"},
    {"torch.nn.functional.pixel_unshuffle", "aten::pixel_unshuffle"},
    {"torch.nn.functional.channel_shuffle", "aten::channel_shuffle"},
    {"torch.tensor", "aten::tensor"},
    {"torch.device", "aten::device"},
    {"torch.jit._unwrap_optional", "aten::_unwrap_optional"},
    {"torch.jit.wait", "aten::wait"},
    {"torch.jit._wait", "aten::wait"},
    {"torch.jit._awaitable_wait", "prim::awaitable_wait"},
    {"torch.jit._awaitable_nowait", "prim::awaitable_nowait"},
    {"torch.autograd.grad", "aten::grad"},
    {"torch.autograd.backward", "aten::backward"},
    {"warnings.warn", "aten::warn"},
    {"torch.is_grad_enabled", "aten::is_grad_enabled"},
};

/* Functions of torch that PyTorch resolves to operators that do not exist. */
static const char *const missing_operators[] = {"are_deterministic_algorithms_enabled",
                                                "asarray",
                                                "broadcast_shapes",
                                                "clear_autocast_cache",
                                                "enable_grad",
                                                "finfo",
                                                "from_numpy",
                                                "frombuffer",
                                                "get_autocast_cpu_dtype",
                                                "get_autocast_gpu_dtype",
                                                "get_default_dtype",
                                                "get_deterministic_debug_mode",
                                                "get_float32_matmul_precision",
                                                "get_num_interop_threads",
                                                "get_num_threads",
                                                "get_rng_state",
                                                "iinfo",
                                                "inference_mode",
                                                "initial_seed",
                                                "is_anomaly_check_nan_enabled",
                                                "is_anomaly_enabled",
                                                "is_autocast_cache_enabled",
                                                "is_deterministic_algorithms_warn_only_enabled",
                                                "is_inference_mode_enabled",
                                                "is_storage",
                                                "is_tensor",
                                                "is_warn_always_enabled",
                                                "load",
                                                "pca_lowrank",
                                                "seed",
                                                "set_anomaly_enabled",
                                                "set_autocast_cache_enabled",
                                                "set_autocast_cpu_enabled",
                                                "set_autocast_enabled",
                                                "set_default_dtype",
                                                "set_default_tensor_type",
                                                "set_deterministic_debug_mode",
                                                "set_float32_matmul_precision",
                                                "set_flush_denormal",
                                                "set_num_interop_threads",
                                                "set_num_threads",
                                                "set_printoptions",
                                                "set_rng_state",
                                                "set_warn_always",
                                                "svd_lowrank",
                                                "typename",
                                                "use_deterministic_algorithms",
                                                NULL};

static const name_pair special_members[] = {
    {"torch.jit.annotate", "annotate"},
    {"torch.jit.isinstance", "isinstance"},
    {"torch.jit.fork", "fork"},
    {"torch.jit._fork", "fork"},
    {"torch.jit._awaitable", "awaitable"},
    {"torch.distributed.rpc.rpc_sync", "rpc_sync"},
    {"torch.distributed.rpc.rpc_async", "rpc_async"},
    {"torch.distributed.rpc.remote", "rpc_remote"},
    {"torch.jit.is_scripting", "is_scripting"},
    {"torch.jit.is_tracing", "is_tracing"},
    {"torch.is_tensor", "is_tensor"},
    {"torch.utils.checkpoint.checkpoint", "checkpoint"},
    {"collections.OrderedDict", "dict"},
};

/* Packages whose functions are operators: the operator's name is the prefix and the function's name. */
static const name_pair operator_packages[] = {
    {"torch", "aten::"},
    {"torch._C._nn", "aten::"},
    {"torch._VF", "aten::"},
    {"torch.linalg", "aten::linalg_"},
    {"torch.functional", "aten::"},
    {"torch.fft", "aten::fft_"},
    {"torch.special", "aten::special_"},
};

static const char *const packages[] = {"torch.jit",
                                       "torch.nn",
                                       "torch.nn.functional",
                                       "torch.linalg",
                                       "torch.fft",
                                       "torch.special",
                                       "torch.autograd",
                                       "torch._C",
                                       "torch._C._nn",
                                       "torch._VF",
                                       "torch.functional",
                                       "torch.profiler",
                                       "torch.autograd.profiler",
                                       "torch.nn.utils",
                                       "torch.utils",
                                       "torch.utils.checkpoint",
                                       "torch.nn.utils.rnn",
                                       "torch.distributed",
                                       "torch.distributed.rpc",
                                       NULL};

/* Members of modules that exist in Python only. */
static const char *const refused_members[] = {
    "math.log2", "math.trunc",   "math.fsum",  "math.hypot", "math.comb",      "math.perm", "math.dist",
    "math.prod", "math.isclose", "math.isqrt", "math.lcm",   "math.nextafter", "math.ulp",  NULL};

static const char *const torch_types[] = {"Tensor", "dtype", "layout",     "memory_format",
                                          "Stream", "Size",  "NumberType", NULL};

/* A function or class of a package that the compiler has in source form. */
static bool library_member(emitter *e, const char *package, const char *name, sugared *out) {
    bool is_grad_mode = !strcmp(package, "torch") && !strcmp(name, "no_grad");
    if (is_grad_mode)
        package = "torch.autograd.grad_mode";
    else if (!strcmp(package, "torch"))
        package = "torch.functional";
    else if (!strcmp(package, "torch.profiler"))
        package = "torch.autograd.profiler";
    if (!builtin_library_load(e->program, package))
        return false;
    sugared path = sugar_named(SUGAR_PATH, mem_printf("__torch__.%s", package));
    *out = sugar_select(e, &path, name, (source_range){0});
    return out->kind != SUGAR_PATH;
}

sugared emit_package_member(emitter *e, const char *package, const char *name, source_range range) {
    stack_check();
    const char *full = intern(mem_printf("%s.%s", package, name));
    sugared s;
    uint32_t count;
    if (find_package_constant(e, package, name, range, &s))
        return s;
    if (!strcmp(full, "torch.ops"))
        return sugar_named(SUGAR_OPS, full);
    if (text_is_among(full, packages))
        return sugar_named(SUGAR_PACKAGE, full);
    const char *op = FIND(renamed_operators, full);
    if (!op && !strcmp(package, "math"))
        op = FIND(math_functions, name);
    if (op)
        return sugar_named(SUGAR_OPERATOR, op);
    const char *form = FIND(special_members, full);
    if (form && !(text_is_among(name, missing_operators) && e->is_python && !e->function->is_builtin))
        return sugar_named(SUGAR_SPECIAL, form);
    if (!strcmp(package, "torch") && emit_is_legacy_constructor(name))
        return sugar_named(SUGAR_SPECIAL, intern(name));
    if (!strcmp(package, "torch") && text_is_among(name, torch_types))
        return sugar_named(SUGAR_TYPE, full);
    if (library_member(e, package, name, &s))
        return s;
    if (!strcmp(full, "torch.nn.Parameter"))
        source_fail(range, "Cannot instantiate class '%s' in a script function", name);
    if (!strcmp(package, "torch.nn") && e->program->main_file && py_library_class(py_machine_new(e->program), name))
        source_fail(range, "Cannot instantiate class '%s' in a script function", name);
    const char *prefix = FIND(operator_packages, package);
    op = prefix ? intern(mem_printf("%s%s", prefix, name)) : NULL;
    if (op && (schema_overloads(op, &count), count))
        return sugar_named(SUGAR_OPERATOR, op);
    if (!strcmp(package, "torch") && text_is_among(name, missing_operators))
        return sugar_named(SUGAR_OPERATOR, intern(mem_printf("aten::%s", name)));
    if (!strcmp(package, "typing"))
        return sugar_named(SUGAR_TYPE, full);
    if (text_is_among(full, refused_members))
        source_fail(range, "Python builtin <built-in function %s> is currently not supported in Torchscript", name);
    if (!strcmp(full, "torch.distributed.autograd"))
        source_fail(range, "%s is not supported: gradients do not cross workers", full);
    source_fail(range, "object has no attribute %s", name);
}
