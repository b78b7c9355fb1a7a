// Swift's values as values of an instance, and back.
import tsmobile

/// How deep values may nest: objects of a program may be linked in circles.
private let mostDepth = 100

/// Makes the arguments of one call.
final class Maker {
    private let instance: OpaquePointer
    private var made: [tsm_value] = []
    private var wrapped: [(value: tsm_value, tensor: Tensor)] = []

    init(_ instance: OpaquePointer) {
        self.instance = instance
    }

    /// Gives back what was made, but the tensors over Swift's memory, which it returns.
    func finish() -> [(value: tsm_value, tensor: Tensor)] {
        for value in made { tsm_release(instance, value) }
        return wrapped
    }

    private func check(_ status: tsm_status) throws {
        if status != TSM_OK { throw TSMobileError(status, String(cString: tsm_error(instance))) }
    }

    private func new(_ make: (inout tsm_value) -> tsm_status) throws -> tsm_value {
        var value = tsm_none()
        try check(make(&value))
        made.append(value)
        return value
    }

    /// C's texts of names end at a zero.
    private func plain(_ name: String) throws {
        if name.utf8.contains(0) { throw TSMobileError(.badArgument, "a name has a zero character") }
    }

    func make(_ value: Value, _ depth: Int) throws -> tsm_value {
        guard depth < mostDepth else { throw TSMobileError(.badArgument, "an argument nests deeper than \(mostDepth) values") }
        switch value {
        case .none: return tsm_none()
        case .bool(let b): return tsm_bool(b)
        case .int(let i): return tsm_int(i)
        case .float(let f): return tsm_float(f)
        case .complex(let re, let im): return try new { tsm_complex_new(instance, &$0, re, im) }
        case .string(var s): return try s.withUTF8 { text in try text.withMemoryRebound(to: CChar.self) { c in try new { tsm_str_new(instance, &$0, c.baseAddress, c.count) } } }
        case .device(let name):
            try plain(name)
            return try new { tsm_device_parse(instance, &$0, name) }
        case .enumMember(let className, let name, _):
            try plain(className)
            try plain(name)
            return try new { tsm_enum_find(instance, &$0, className, name) }
        case .tensor(let t): return try tensor(t)
        case .list(let items):
            let values = try items.map { try make($0, depth + 1) }
            return try new { tsm_list_new(instance, &$0, values, values.count) }
        case .tuple(let items):
            let values = try items.map { try make($0, depth + 1) }
            return try new { tsm_tuple_new(instance, &$0, values, values.count) }
        case .dict(let pairs): return try dict(pairs, depth)
        case .object(let className, _): throw TSMobileError(.badArgument, "an object of \(className) cannot be an argument")
        }
    }

    private func dict(_ pairs: [(key: Value, value: Value)], _ depth: Int) throws -> tsm_value {
        let made = try new { tsm_dict_new(instance, &$0) }
        for (key, item) in pairs {
            try check(tsm_dict_set(instance, made, try make(key, depth + 1), try make(item, depth + 1)))
        }
        return made
    }

    /// Over the tensor's memory; a view is copied, since a method may write to its arguments.
    private func tensor(_ given: Tensor) throws -> tsm_value {
        let t = given.isReadOnly ? given.copy() : given
        var value = tsm_none()
        try check(tsm_tensor_wrap(instance, &value, t.dtype.number, Int32(t.shape.count), t.shape, nil, t.start))
        wrapped.append((value, t))
        if let q = t.quantizer {
            try check(tsm_tensor_set_quantizer(instance, value, Int32(q.axis ?? -1), q.scales.count, q.scales, q.zeroPoints))
        }
        return value
    }
}

/// Reads the result of a call.
struct Taker {
    private let memory: Module.Memory
    private let isCopied: Bool

    init(_ memory: Module.Memory, _ isCopied: Bool) {
        (self.memory, self.isCopied) = (memory, isCopied)
    }

    func take(_ v: tsm_value, _ depth: Int) throws -> Value {
        guard depth < mostDepth else { throw TSMobileError(.unsupported, "the result nests deeper than \(mostDepth) values") }
        switch tsm_tag(rawValue: v.tag) {
        case TSM_TAG_NONE: return .none
        case TSM_TAG_BOOL: return .bool(v.as.b)
        case TSM_TAG_INT: return .int(v.as.i)
        case TSM_TAG_FLOAT: return .float(v.as.f)
        case TSM_TAG_COMPLEX: return complex(v)
        case TSM_TAG_STR: return .string(string(v))
        case TSM_TAG_DEVICE: return device(v)
        case TSM_TAG_TENSOR: return .tensor(try tensor(v))
        case TSM_TAG_LIST: return .list(try items(v, depth))
        case TSM_TAG_TUPLE: return .tuple(try items(v, depth))
        case TSM_TAG_DICT: return .dict(try pairs(v, depth))
        case TSM_TAG_OBJECT: return try object(v, depth)
        case TSM_TAG_ENUM: return try member(v, depth)
        default: throw TSMobileError(.unsupported, "the result holds a future or a generator, which have no form in Swift")
        }
    }

    private func complex(_ v: tsm_value) -> Value {
        var re = 0.0, im = 0.0
        tsm_complex_get(v, &re, &im)
        return .complex(re: re, im: im)
    }

    private func string(_ v: tsm_value) -> String {
        var count = 0
        guard let text = tsm_str_get(v, &count) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
    }

    private func device(_ v: tsm_value) -> Value {
        var text = [CChar](repeating: 0, count: 24)
        _ = tsm_device_text(v, &text, text.count)
        return .device(String(cString: text))
    }

    private func items(_ v: tsm_value, _ depth: Int) throws -> [Value] {
        try (0..<tsm_sequence_size(v)).map { try take(tsm_sequence_get(v, $0), depth + 1) }
    }

    private func pairs(_ v: tsm_value, _ depth: Int) throws -> [(key: Value, value: Value)] {
        try (0..<tsm_dict_size(v)).map { i in
            var key = tsm_none(), item = tsm_none()
            tsm_dict_get(v, i, &key, &item)
            return (key: try take(key, depth + 1), value: try take(item, depth + 1))
        }
    }

    private func object(_ v: tsm_value, _ depth: Int) throws -> Value {
        let attributes: [(name: String, value: Value)] = try (0..<tsm_object_size(v)).map { i in
            var item = tsm_none()
            let name = String(cString: tsm_object_attribute(memory.instance, v, i, &item))
            return (name: name, value: try take(item, depth + 1))
        }
        return .object(className: String(cString: tsm_class_name(memory.instance, v)), attributes: attributes)
    }

    private func member(_ v: tsm_value, _ depth: Int) throws -> Value {
        var item = tsm_none()
        let name = String(cString: tsm_enum_get(memory.instance, v, &item))
        return .enumMember(className: String(cString: tsm_class_name(memory.instance, v)), name: name, value: try take(item, depth + 1))
    }

    private func tensor(_ v: tsm_value) throws -> Tensor {
        var t = tsm_tensor_view()
        guard tsm_tensor_get(v, &t), let dtype = DType(rawValue: numericCast(t.dtype.rawValue)) else {
            throw TSMobileError(.unsupported, "the result holds a nested tensor, which has no form in Swift")
        }
        if t.float_zero_points != nil {
            throw TSMobileError(.unsupported, "the result holds a tensor with zero points that are floats, which has no form in Swift")
        }
        let shape = (0..<Int(t.dims)).map { t.sizes![$0] }
        let channels = t.quantizer_axis < -1 ? 0 : t.quantizer_channels
        var quantizer: Quantizer?
        if channels > 0, let scales = t.scales, let zeroPoints = t.zero_points {
            quantizer = Quantizer(axis: 0, scales: Array(UnsafeBufferPointer(start: scales, count: channels)),
                                  zeroPoints: Array(UnsafeBufferPointer(start: zeroPoints, count: channels)))
            quantizer?.axis = t.quantizer_axis < 0 ? nil : Int(t.quantizer_axis)
        }
        if !isCopied, let data = t.data, Tensor.isContiguous(t) {
            return Tensor(dtype, shape, quantizer, start: data, owner: memory.hold(v), isReadOnly: true)
        }
        return Tensor.copied(t, dtype, shape, quantizer)
    }
}
