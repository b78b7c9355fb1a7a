// The image -> the bytes of a .tsm file, through the FlatBuffers library. The only C++ of tsmobile.

#include <cmath>
#include <cstring>
#include <map>
#include <new>

#include "exporter/codegen/image.h"
#include "runtime/interpreter/check_sums.h"
#include "tsmobile_generated.h"

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

constexpr uint64_t kSegmentAlign = 64;
constexpr uint32_t kFormatVersion = 1;

template <class T> size_t length(const T *array) {
    return array ? stbds_header(array)->length : 0;
}

template <class T> Offset<Vector<T>> numbers(FlatBufferBuilder &b, const T *array) {
    return length(array) ? b.CreateVector(array, length(array)) : 0;
}

Offset<Vector<Offset<flatbuffers::String>>> strings(FlatBufferBuilder &b, const char *const *array) {
    std::vector<Offset<flatbuffers::String>> offsets;
    for (size_t i = 0; i < length(array); i++)
        offsets.push_back(b.CreateSharedString(array[i]));
    return offsets.empty() ? 0 : b.CreateVector(offsets);
}

Offset<flatbuffers::String> text(FlatBufferBuilder &b, const char *s) {
    return s ? b.CreateSharedString(s) : 0;
}

// Counts the bytes that each part of the program adds.
class Meter {
  public:
    explicit Meter(FlatBufferBuilder &b) : builder_(b), last_(b.GetSize()) {}
    void count(image_part part) {
        sizes.bytes[part] += builder_.GetSize() - last_;
        last_ = builder_.GetSize();
    }
    image_sizes sizes = {};

  private:
    FlatBufferBuilder &builder_;
    size_t last_;
};

// Makes a vector of tables, one by `make`; none for an empty array.
template <class Table, class Row, class Make>
Offset<Vector<Offset<Table>>> tables(FlatBufferBuilder &b, const Row *array, Make make) {
    std::vector<Offset<Table>> offsets;
    for (size_t i = 0; i < length(array); i++)
        offsets.push_back(make(array[i]));
    return offsets.empty() ? 0 : b.CreateVector(offsets);
}

// Structs of the same layout on both sides.
template <class Struct, class Row> Offset<Vector<const Struct *>> structs(FlatBufferBuilder &b, const Row *array) {
    static_assert(sizeof(Struct) == sizeof(Row), "laid out as in the schema");
    return length(array) ? b.CreateVectorOfStructs(reinterpret_cast<const Struct *>(array), length(array)) : 0;
}

Offset<tsm::Type> write_type(FlatBufferBuilder &b, const image_type &t) {
    auto methods = tables<tsm::ClassMethod>(
        b, t.methods, [&](const image_class_method &m) { return tsm::CreateClassMethod(b, m.name, m.function); });
    auto elements = numbers(b, t.elements);
    auto field_names = strings(b, t.field_names);
    auto members = numbers(b, t.members);
    auto shown = text(b, t.text), name = text(b, t.name);
    return tsm::CreateType(b, static_cast<tsm::TypeKind>(t.kind), shown, name, elements, field_names, members, methods);
}

// Sizes and strides of tensors, which are often the same: each is written once, unless that is not wanted.
class Shapes {
  public:
    explicit Shapes(bool are_shared) : are_shared_(are_shared) {}
    Offset<Vector<int64_t>> write(FlatBufferBuilder &b, const int64_t *array) {
        if (!are_shared_ || !length(array))
            return numbers(b, array);
        auto &place = places_[std::vector<int64_t>(array, array + length(array))];
        if (!place.IsNull())
            saved_bytes += sizeof(uint32_t) + length(array) * sizeof *array;
        else
            place = numbers(b, array);
        return place;
    }
    uint64_t saved_bytes = 0;

  private:
    bool are_shared_;
    std::map<std::vector<int64_t>, Offset<Vector<int64_t>>> places_;
};

Offset<tsm::TensorData> write_tensor(FlatBufferBuilder &b, Shapes &shapes, const image &m, const image_tensor &t) {
    auto sizes = shapes.write(b, t.sizes), strides = shapes.write(b, t.strides);
    auto scales = numbers(b, t.scales);
    auto zero_points = numbers(b, t.zero_points);
    uint64_t offset;
    const uint32_t storage = image_file_storage_of(&m, &t, &offset);
    return tsm::CreateTensorData(b, t.dtype, storage, offset, sizes, strides, t.quantizer_axis, scales, zero_points,
                                 t.requires_grad);
}

// It equals the default, 0, and would be left out as such.
bool is_negative_zero(double v) {
    return v == 0 && std::signbit(v);
}

Offset<tsm::Constant> write_constant(FlatBufferBuilder &b, Shapes &shapes, const image &m, const image_constant &c) {
    auto bytes = c.text ? b.CreateVector(reinterpret_cast<const uint8_t *>(c.text), c.text_length) : 0;
    auto items = numbers(b, c.items);
    auto tensor = c.tensor ? write_tensor(b, shapes, m, *c.tensor) : 0;
    b.ForceDefaults(is_negative_zero(c.number) || is_negative_zero(c.imaginary));
    auto made = tsm::CreateConstant(b, static_cast<tsm::ConstantKind>(c.kind), c.integer, c.number, c.imaginary, bytes,
                                    items, c.type, tensor);
    b.ForceDefaults(false);
    return made;
}

Offset<tsm::Function> write_function(FlatBufferBuilder &b, Meter &meter, const image_function &f) {
    auto name = text(b, f.name);
    auto code = structs<tsm::Instruction>(b, f.code);
    auto operands = numbers(b, f.operands);
    auto parameters = numbers(b, f.parameters);
    auto withs = structs<tsm::WithRange>(b, f.withs);
    meter.count(IMAGE_PART_CODE);
    auto debug = structs<tsm::DebugEntry>(b, f.debug);
    meter.count(IMAGE_PART_DEBUG);
    return tsm::CreateFunction(b, name, code, operands, parameters, f.value_registers, f.int_registers,
                               f.float_registers, f.bool_registers, withs, debug);
}

Offset<Vector<Offset<tsm::TensorInfo>>> write_infos(FlatBufferBuilder &b, const image_tensor_info *infos) {
    return tables<tsm::TensorInfo>(b, infos, [&](const image_tensor_info &i) {
        auto sizes = numbers(b, i.sizes);
        return tsm::CreateTensorInfo(b, i.dtype, i.rank, sizes);
    });
}

Offset<tsm::Method> write_method(FlatBufferBuilder &b, const image_method &m) {
    auto arguments = tables<tsm::Argument>(b, m.arguments, [&](const image_argument &a) {
        return tsm::CreateArgument(b, text(b, a.name), a.type, a.default_value, a.keyword_only);
    });
    auto name = text(b, m.name), schema = text(b, m.schema), doc = text(b, m.doc);
    auto inputs = write_infos(b, m.inputs), outputs = write_infos(b, m.outputs);
    return tsm::CreateMethod(b, name, m.function, m.self, arguments, m.result, schema, m.plan, doc, inputs, outputs,
                             m.is_async);
}

Offset<tsm::Plan> write_plan(FlatBufferBuilder &b, const image_plan &p) {
    auto guards = numbers(b, p.guards);
    auto blocks = structs<tsm::PlanBlock>(b, p.blocks);
    return tsm::CreatePlan(b, guards, blocks, p.region, p.most_live, p.buffer_bytes);
}

Offset<tsm::TargetPlan> write_target_plan(FlatBufferBuilder &b, const image_target_plan &p) {
    const auto own = p.own ? write_plan(b, *p.own) : 0;
    const auto targets = strings(b, p.targets);
    return tsm::CreateTargetPlan(b, targets, p.plan, own);
}

tsm::SourceRange source_range(const image_source_range &r) {
    return tsm::SourceRange(r.file, r.start, r.end);
}

// The program; offsets do not change its size.
image_sizes write_program(FlatBufferBuilder &b, Shapes &shapes, const image &m, uint64_t sums_offset,
                          uint64_t segment_offset) {
    Meter meter(b);
    std::vector<tsm::Storage> storages;
    for (size_t i = 0; i < length(m.file_storages); i++)
        storages.emplace_back(m.file_storages[i].offset, m.file_storages[i].bytes, m.file_storages[i].is_mutable);
    std::vector<tsm::Frame> frames;
    for (size_t i = 0; i < length(m.frames); i++)
        frames.emplace_back(m.frames[i].function_name, m.frames[i].caller, source_range(m.frames[i].serialized),
                            source_range(m.frames[i].original));
    auto types = tables<tsm::Type>(b, m.types, [&](const image_type &t) { return write_type(b, t); });
    meter.count(IMAGE_PART_TYPES);
    auto constants =
        tables<tsm::Constant>(b, m.constants, [&](const image_constant &c) { return write_constant(b, shapes, m, c); });
    meter.count(IMAGE_PART_CONSTANTS);
    auto functions =
        tables<tsm::Function>(b, m.functions, [&](const image_function &f) { return write_function(b, meter, f); });
    meter.count(IMAGE_PART_CODE);
    auto methods = tables<tsm::Method>(b, m.methods, [&](const image_method &x) { return write_method(b, x); });
    meter.count(IMAGE_PART_METHODS);
    auto bundle = tables<tsm::BundledCase>(b, m.bundle, [&](const image_bundled_case &c) {
        return tsm::CreateBundledCase(b, c.method, c.arguments, c.expected);
    });
    meter.count(IMAGE_PART_BUNDLE);
    // Before the others: what refers to a table lies in front of it (exporter/embed/variants.c).
    auto target_plans =
        tables<tsm::TargetPlan>(b, m.target_plans, [&](const image_target_plan &p) { return write_target_plan(b, p); });
    auto plans = tables<tsm::Plan>(b, m.plans, [&](const image_plan &p) { return write_plan(b, p); });
    meter.count(IMAGE_PART_PLANS);
    auto files = tables<tsm::SourceFile>(b, m.files, [&](const image_file &f) {
        auto name = text(b, f.name), lines = text(b, f.text);
        return tsm::CreateSourceFile(b, name, lines, f.first_line, f.offset);
    });
    auto names = strings(b, m.strings);
    auto frame_vector = frames.empty() ? 0 : b.CreateVectorOfStructs(frames);
    auto positions = numbers(b, m.positions);
    auto position_symbols = numbers(b, m.position_symbols);
    meter.count(IMAGE_PART_DEBUG);
    auto operators = strings(b, m.operators);
    meter.count(IMAGE_PART_OPERATORS);
    auto method_names = strings(b, m.method_names);
    meter.count(IMAGE_PART_METHODS);
    auto metadata = tables<tsm::Entry>(b, m.metadata, [&](const image_entry &e) {
        auto key = text(b, e.key), value = text(b, e.value);
        return tsm::CreateEntry(b, key, value);
    });
    meter.count(IMAGE_PART_METADATA);
    auto features = strings(b, m.features);
    auto storage_vector = storages.empty() ? 0 : b.CreateVectorOfStructs(storages);
    auto producer = b.CreateString("tsmc " TSMC_VERSION);
    b.ForceDefaults(true); // so that the offsets' values do not change the size
    tsm::ProgramBuilder p(b);
    p.add_version(kFormatVersion);
    p.add_producer(producer);
    p.add_features(features);
    p.add_operators(operators);
    p.add_types(types);
    p.add_constants(constants);
    p.add_storages(storage_vector);
    p.add_functions(functions);
    p.add_methods(methods);
    p.add_method_names(method_names);
    p.add_stack_registers(m.stack_registers);
    p.add_stack_frames(m.stack_frames);
    p.add_warnings(m.warnings);
    p.add_bundle(bundle);
    p.add_strings(names);
    p.add_files(files);
    p.add_frames(frame_vector);
    p.add_segment_offset(segment_offset);
    p.add_segment_bytes(m.segment_bytes);
    p.add_plans(plans);
    p.add_sums_offset(sums_offset);
    p.add_metadata(metadata);
    p.add_target_plans(target_plans);
    p.add_positions(positions);
    p.add_position_symbols(position_symbols);
    b.Finish(p.Finish(), tsm::ProgramIdentifier());
    meter.count(IMAGE_PART_REST);
    return meter.sizes;
}

uint64_t round_up(uint64_t n) {
    return (n + kSegmentAlign - 1) / kSegmentAlign * kSegmentAlign;
}

uint8_t *write_image(const image *m, size_t *bytes, image_sizes *sizes) {
    FlatBufferBuilder b(1 << 16);
    Shapes shared(true);
    *sizes = write_program(b, shared, *m, 0, 0);
    // A vector counts as often as it is referred to, and all together may not be more than the file
    // (docs/verification.md, F5).
    const bool are_shared = shared.saved_bytes <= m->segment_bytes;
    if (!are_shared) {
        Shapes single(false);
        b.Clear();
        b.ForceDefaults(false);
        *sizes = write_program(b, single, *m, 0, 0);
    }
    const uint64_t sums_bytes = tsm_sums_bytes(m->segment_bytes), segment = round_up(b.GetSize() + sums_bytes);
    sizes->bytes[IMAGE_PART_TENSORS] = m->segment_bytes;
    sizes->bytes[IMAGE_PART_SUMS] = sums_bytes;
    sizes->bytes[IMAGE_PART_REST] += segment - sums_bytes - b.GetSize();
    if (segment >= FLATBUFFERS_MAX_BUFFER_SIZE)
        return nullptr;
    b.Clear();
    b.ForceDefaults(false);
    Shapes shapes(are_shared);
    write_program(b, shapes, *m, segment - sums_bytes, segment);
    *bytes = segment + m->segment_bytes;
    auto *file = static_cast<uint8_t *>(mem_alloc_aligned(*bytes, kSegmentAlign));
    memcpy(file, b.GetBufferPointer(), b.GetSize());
    for (size_t i = 0; i < length(m->storages); i++)
        if (m->storages[i].bytes)
            memcpy(file + segment + m->storages[i].offset, m->storages[i].data, m->storages[i].bytes);
    tsm_sums_write(file, segment - sums_bytes, segment, m->segment_bytes);
    return file;
}

} // namespace

extern "C" uint8_t *image_write_measured(const image *m, size_t *bytes, image_sizes *sizes) {
#ifdef __cpp_exceptions
    try {
        return write_image(m, bytes, sizes);
    } catch (const std::bad_alloc &) {
        mem_missing(0);
    }
#else // WebAssembly, where what finds no memory traps
    return write_image(m, bytes, sizes);
#endif
}

extern "C" uint8_t *image_write(const image *m, size_t *bytes) {
    image_sizes sizes;
    return image_write_measured(m, bytes, &sizes);
}
