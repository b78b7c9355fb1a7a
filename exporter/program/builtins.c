/* The compiler's own TorchScript functions, found by the name of an operator or a package. */
#include "exporter/program/builtins.h"

#include <stdlib.h>
#include <string.h>

#include "exporter/library/library.h"

/* ---- Operators ---- */

#define OPERATORS "__torch__.torch.builtins"

static const struct {
    const char *op, *suffixes[4];
} operators[] = {
    {"mul", {"float", "int", "complex"}},
    {"add", {"float", "int", "complex"}},
    {"ne", {"float", "int", "complex"}},
    {"eq", {"float", "int", "complex"}},
    {"sub", {"float", "int", "complex"}},
    {"div", {"float", "int", "complex"}},
    {"lt", {"float", "int"}},
    {"le", {"float", "int"}},
    {"gt", {"float", "int"}},
    {"ge", {"float", "int"}},
    {"floordiv", {"number", "Tensor"}},
    {"__contains__", {"str"}},
};

function **builtin_functions_of(program *p, const char *name) {
    if (strncmp(name, "aten::", 6))
        return NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(operators[i].op, name + 6))
            continue;
        builtin_library_load(p, "torch.builtins");
        function **functions = NULL;
        for (int k = 0; operators[i].suffixes[k]; k++) {
            function *f =
                program_find_function(p, mem_printf(OPERATORS ".%s_%s", operators[i].op, operators[i].suffixes[k]));
            f->schema->full_name = operators[i].op; /* as messages show it */
            arrput(functions, f);
        }
        return functions;
    }
    return NULL;
}

bool builtin_is_operator(const char *name) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strncmp(name, "aten::", 6) && !strcmp(operators[i].op, name + 6))
            return true;
    return false;
}

/* ---- Libraries ---- */

bool builtin_library_load(program *p, const char *package) {
    for (size_t i = 0; i < library_count; i++)
        if (!library[i].is_python && !strcmp(library[i].package, package)) {
            program_add_source(p, mem_printf("__torch__.%s", package), library[i].text);
            return true;
        }
    return false;
}

/* ---- Operators made of operators ---- */

#define DECOMPOSITIONS "torch.decompositions"

/* Where the functions of operators' namespaces are; looked through in order. */
static const struct {
    const char *operators, *package;
} decompositions[] = {
    {"aten::", DECOMPOSITIONS},
    {"aten::", "torch.decompositions.elementwise"},
    {"aten::", "torch.decompositions.shapes"},
    {"aten::", "torch.decompositions.statistics"},
    {"aten::", "torch.decompositions.layers"},
    {"aten::", "torch.decompositions.attention"},
    {"aten::", "torch.decompositions.torch2"},
    {"aten::", "torch.decompositions.optimizers"},
    {"prim::", "torch.decompositions.torch2"},
    {"aten::", "torch.decompositions.linalg"},
    {"aten::", "torch.decompositions.ldl"},
    {"aten::", "torch.decompositions.eig"},
    {"aten::", "torch.decompositions.fft"},
    {"aten::", "torch.decompositions.convolutions"},
    {"aten::", "torch.decompositions.resampling"},
    {"aten::__", "torch.decompositions.interpolation"},
    {"aten::", "torch.decompositions.fake_quantize"},
    {"aten::", "torch.decompositions.internal"},
    {"aten::", "torch.decompositions.properties"},
    {"prim::", "torch.decompositions.internal"},
    {"aten::", "torch.decompositions.mkldnn"},
    {"prim::", "torch.decompositions.mkldnn"},
    {"aten::", "torch.decompositions.gradients"},
    {"aten::", "torch.decompositions.gradients.layers"},
    {"aten::", "torch.decompositions.gradients.resampling"},
    {"aten::", "torch.decompositions.gradients.asked"},
    {"prim::", "torch.decompositions.shapes"},
    {"tsm::", "torch.derivatives.recurrent"},
    {"aten::quantized_", "torch.ops.quantized"},
    {"quantized::", "torch.ops.quantized"},
    {"quantized::", "torch.ops.quantized.embedding"},
    {"quantization::", "torch.ops.quantized"},
    {"quantized_decomposed::", "torch.ops.quantized_decomposed"},
    {"prims::", "torch.ops.prims"},
    {"prepacked::", "torch.ops.prepacked"},
    {"profiler::", "torch.ops.profiler"},
    {"torchvision::", "torch.ops.torchvision"},
    {"torchaudio::", "torch.ops.torchaudio"},
};

#define DERIVED "torch.derived"
#define DERIVATIVES "torch.derivatives"

/* "aten::a.Tensor" in a package is its function aten_a_Tensor: the function's qualified name. */
static char *library_name(const char *package, const char *full_name) {
    char *name = mem_printf("__torch__.%s.%s", package, full_name),
         *from = name + strlen("__torch__..") + strlen(package), *to = from;
    for (; *from; from++)
        if (*from != ':' || from[1] != ':') /* "::" becomes one "_" */
            *to++ = *from == '.' || *from == ':' ? '_' : *from;
    *to = 0;
    return name;
}

/* Searches the text, because most packages have no function for the operator and then need not be parsed. */
static bool defines(const char *package, const char *name) {
    const char *line = mem_printf("\ndef %s(", name);
    for (size_t i = 0; i < library_count; i++)
        if (!library[i].is_python && !strcmp(library[i].package, package))
            return strstr(library[i].text, line) != NULL;
    return false;
}

static function *find_decomposition(program *p, const char *package, const char *full_name) {
    const char *name = library_name(package, full_name);
    if (!defines(package, strrchr(name, '.') + 1))
        return NULL;
    builtin_library_load(p, package);
    return program_find_function(p, name);
}

static int compare_packages(const void *name, const void *file) {
    return strcmp(name, ((const library_file *)file)->package);
}

/* The function that gen_derived.py wrote for an operator. Each has a package of its own, named after the operator. */
static function *find_derived(program *p, const char *full_name) {
    const char *name = library_name(DERIVED, full_name) + strlen("__torch__." DERIVED ".");
    const char *package = mem_printf(DERIVED ".%s", name);
    const library_file *file =
        bsearch(package, derived_functions, derived_function_count, sizeof *derived_functions, compare_packages);
    if (!file)
        return NULL;
    const char *qualifier = mem_printf("__torch__.%s", package);
    program_add_source(p, qualifier, file->text);
    return program_find_function(p, mem_printf("%s.%s", qualifier, name));
}

function *builtin_decomposition(program *p, const char *full_name) {
    function *f = NULL;
    for (size_t i = 0; i < sizeof decompositions / sizeof *decompositions && !f; i++)
        if (!strncmp(full_name, decompositions[i].operators, strlen(decompositions[i].operators)))
            f = find_decomposition(p, decompositions[i].package, full_name);
    if (!f)
        f = find_derived(p, full_name);
    if (f)
        f->is_operator = true;
    return f;
}

bool builtin_is_part_of_operator(const function *f) {
    static const char *const callers[] = {"__torch__.torch.functional.", "__torch__.torch.nn.",
                                          "__torch__.torch.autograd.", "__torch__.torch.upgraders."};
    bool is_part = f->is_builtin;
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        is_part &= strncmp(f->name, callers[i], strlen(callers[i])) != 0;
    return is_part;
}

bool builtin_keeps_derivative(const char *full_name) {
    static const char package[] = DERIVATIVES ".composed";
    const char *line = mem_printf("\ndef %s__", strrchr(library_name(package, full_name), '.') + 1);
    for (size_t i = 0; i < library_count; i++)
        if (!library[i].is_python && !strcmp(library[i].package, package))
            return strstr(library[i].text, line) != NULL;
    return false;
}

static function *find_derivative(program *p, const char *full_name, const char *argument) {
    static const char *const packages[] = {DERIVATIVES,
                                           DERIVATIVES ".layers",
                                           DERIVATIVES ".attention",
                                           DERIVATIVES ".functions",
                                           DERIVATIVES ".recurrent",
                                           DERIVATIVES ".items",
                                           DERIVATIVES ".table",
                                           DERIVATIVES ".linalg",
                                           DERIVATIVES ".special",
                                           DERIVATIVES ".complex",
                                           DERIVATIVES ".composed"};
    function *f = NULL;
    for (size_t i = 0; i < sizeof packages / sizeof *packages && !f; i++) {
        builtin_library_load(p, packages[i]);
        char *name = library_name(packages[i], full_name);
        f = program_find_function(p, argument ? mem_printf("%s__%s", name, argument) : name);
    }
    return f;
}

function *builtin_derivative(program *p, const char *full_name, const char *argument) {
    const char *key = intern(mem_printf("%s %s", full_name, argument ? argument : ""));
    const ptrdiff_t at = shgeti(p->derivatives, key);
    if (at >= 0)
        return p->derivatives[at].value;
    function *f = find_derivative(p, full_name, argument);
    if (f)
        f->is_operator = true;
    shput(p->derivatives, (char *)key, f);
    return f;
}
