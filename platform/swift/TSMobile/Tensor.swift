// Elements of one type with sizes.
import tsmobile

/// Types of elements, with PyTorch's numbers.
public enum DType: Int32, CaseIterable, CustomStringConvertible {
    case uint8 = 0, int8, int16, int32, int64, float16, float32, float64, complex32, complex64, complex128, bool, qint8, quint8, qint32, bfloat16
    case float8_e5m2 = 23, float8_e4m3fn, float8_e5m2fnuz, float8_e4m3fnuz, uint16, uint32, uint64

    var number: tsm_dtype { tsm_dtype(rawValue: numericCast(rawValue)) }

    /// Bytes of an element.
    public var size: Int { tsm_dtype_size(number) }

    /// PyTorch's name: "float32".
    public var description: String { String(cString: tsm_dtype_name(number)) }

    var isQuantized: Bool { self == .qint8 || self == .quint8 || self == .qint32 }
}

/// What Swift's numbers are in a tensor.
public protocol TensorElement {
    static var dtype: DType { get }
}

extension UInt8: TensorElement { public static var dtype: DType { .uint8 } }
extension Int8: TensorElement { public static var dtype: DType { .int8 } }
extension Int16: TensorElement { public static var dtype: DType { .int16 } }
extension Int32: TensorElement { public static var dtype: DType { .int32 } }
extension Int64: TensorElement { public static var dtype: DType { .int64 } }
extension Int: TensorElement { public static var dtype: DType { .int64 } }
extension UInt16: TensorElement { public static var dtype: DType { .uint16 } }
extension UInt32: TensorElement { public static var dtype: DType { .uint32 } }
extension UInt64: TensorElement { public static var dtype: DType { .uint64 } }
extension Float: TensorElement { public static var dtype: DType { .float32 } }
extension Double: TensorElement { public static var dtype: DType { .float64 } }
extension Bool: TensorElement { public static var dtype: DType { .bool } }

/// What the integers of a quantized tensor stand for: (integer - zeroPoint) * scale.
public struct Quantizer: Equatable {
    /// The dimension that has scales of its own; nil: one scale for all.
    public var axis: Int?
    public var scales: [Double]
    public var zeroPoints: [Int64]

    public init(scale: Double, zeroPoint: Int64) {
        (axis, scales, zeroPoints) = (nil, [scale], [zeroPoint])
    }

    public init(axis: Int, scales: [Double], zeroPoints: [Int64]) {
        (self.axis, self.scales, self.zeroPoints) = (axis, scales, zeroPoints)
    }
}

/// Elements in row-major order, their type and sizes. Methods use them where they lie: one that changes its argument changes
/// the tensor. Tensors of `Module.view` lie in the module's buffer, and are copied where something would be written.
public final class Tensor {
    public let dtype: DType
    public let shape: [Int]
    public let quantizer: Quantizer?
    let start: UnsafeMutableRawPointer
    let isReadOnly: Bool
    /// What the elements live in: nil for memory of the tensor's own.
    private let owner: AnyObject?

    private static let alignment = 64

    /// Uninitialized elements.
    private init(_ dtype: DType, _ shape: [Int], _ quantizer: Quantizer?) {
        (self.dtype, self.shape, self.quantizer) = (dtype, shape, quantizer)
        let bytes = shape.reduce(dtype.size, *)
        start = UnsafeMutableRawPointer.allocate(byteCount: max(bytes, 1), alignment: Tensor.alignment)
        isReadOnly = false
        owner = nil
    }

    /// Elements in somebody else's memory, which `owner` keeps.
    init(_ dtype: DType, _ shape: [Int], _ quantizer: Quantizer?, start: UnsafeMutableRawPointer, owner: AnyObject, isReadOnly: Bool) {
        (self.dtype, self.shape, self.quantizer) = (dtype, shape, quantizer)
        (self.start, self.owner, self.isReadOnly) = (start, owner, isReadOnly)
    }

    deinit {
        if owner == nil {
            start.deallocate()
        }
    }

    // MARK: Making tensors

    /// Zeros.
    public convenience init(zeros dtype: DType, shape: [Int], quantizer: Quantizer? = nil) throws {
        _ = try Tensor.count(shape, dtype, quantizer)
        self.init(dtype, shape, quantizer)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    /// A copy of the array; without sizes it has one dimension.
    public convenience init<Element: TensorElement>(_ elements: [Element], shape: [Int]? = nil) throws {
        let sizes = shape ?? [elements.count]
        let count = try Tensor.count(sizes, Element.dtype, nil)
        guard count == elements.count else {
            throw TSMobileError(.badArgument, "\(elements.count) elements do not fill a tensor of sizes \(sizes)")
        }
        self.init(Element.dtype, sizes, nil)
        elements.withUnsafeBytes { start.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(start), byteCount: $0.count) }
    }

    /// A copy of the bytes of elements of any type, in this machine's order.
    public convenience init<Bytes: Collection>(bytes: Bytes, dtype: DType, shape: [Int], quantizer: Quantizer? = nil) throws where Bytes.Element == UInt8 {
        let count = try Tensor.count(shape, dtype, quantizer)
        guard count * dtype.size == bytes.count else {
            throw TSMobileError(.badArgument, "\(bytes.count) bytes do not fill a tensor of \(dtype) and sizes \(shape)")
        }
        self.init(dtype, shape, quantizer)
        UnsafeMutableRawBufferPointer(start: start, count: byteCount).copyBytes(from: bytes)
    }

    /// Elements where they lie, without a copy. `owner` is kept as long as the tensor, or a program, uses them.
    public convenience init(noCopy memory: UnsafeMutableRawBufferPointer, dtype: DType, shape: [Int], owner: AnyObject) throws {
        let count = try Tensor.count(shape, dtype, nil)
        guard let start = memory.baseAddress, memory.count == count * dtype.size else {
            throw TSMobileError(.badArgument, "\(memory.count) bytes do not fill a tensor of \(dtype) and sizes \(shape)")
        }
        guard Int(bitPattern: start) % min(dtype.size, 8) == 0 else {
            throw TSMobileError(.badArgument, "the memory does not lie as elements of \(dtype) must")
        }
        self.init(dtype, shape, nil, start: start, owner: owner, isReadOnly: false)
    }

    private static func count(_ shape: [Int], _ dtype: DType, _ quantizer: Quantizer?) throws -> Int {
        var bytes = dtype.size
        for size in shape {
            let (product, overflows) = bytes.multipliedReportingOverflow(by: size)
            guard size >= 0, !overflows else { throw TSMobileError(.badArgument, "\(shape) are no sizes of a tensor") }
            bytes = product
        }
        guard shape.count <= Int(TSM_MAX_DIMS) else {
            throw TSMobileError(.badArgument, "a tensor has at most \(TSM_MAX_DIMS) dimensions, not \(shape.count)")
        }
        guard dtype.isQuantized == (quantizer != nil) else {
            throw TSMobileError(.badArgument, dtype.isQuantized ? "\(dtype) needs a quantizer" : "\(dtype) is not quantized")
        }
        guard quantizer.map({ $0.scales.count == $0.zeroPoints.count && !$0.scales.isEmpty }) ?? true else {
            throw TSMobileError(.badArgument, "a quantizer has as many scales as zero points")
        }
        return bytes / dtype.size
    }

    // MARK: Elements

    /// The number of elements.
    public var count: Int { shape.reduce(1, *) }

    var byteCount: Int { count * dtype.size }

    /// The elements as an array; the type must be the tensor's.
    public func array<Element: TensorElement>(of type: Element.Type = Element.self) throws -> [Element] {
        try check(type)
        return Array(UnsafeBufferPointer(start: start.assumingMemoryBound(to: type), count: count))
    }

    /// The bytes of the elements, where they lie.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: start, count: byteCount)) }
    }

    /// The elements where they lie, to be read and written; the type must be the tensor's, and the tensor no view.
    public func withUnsafeElements<Element: TensorElement, R>(of type: Element.Type, _ body: (UnsafeMutableBufferPointer<Element>) throws -> R) throws -> R {
        try check(type)
        guard !isReadOnly else { throw TSMobileError(.badArgument, "a view of a result may not be written to") }
        return try withExtendedLifetime(self) {
            try body(UnsafeMutableBufferPointer(start: start.assumingMemoryBound(to: type), count: count))
        }
    }

    private func check<Element: TensorElement>(_ type: Element.Type) throws {
        guard type.dtype == dtype else {
            throw TSMobileError(.badArgument, "a tensor of \(dtype) has no elements of \(type)")
        }
    }

    /// The same elements in memory of their own.
    func copy() -> Tensor {
        let copy = Tensor(dtype, shape, quantizer)
        copy.start.copyMemory(from: start, byteCount: byteCount)
        return copy
    }

    /// A copy of a tensor of an instance.
    static func copied(_ view: tsm_tensor_view, _ dtype: DType, _ shape: [Int], _ quantizer: Quantizer?) -> Tensor {
        let made = Tensor(dtype, shape, quantizer), size = dtype.size
        guard made.count > 0, let data = view.data else { return made }
        if Tensor.isContiguous(view) {
            made.start.copyMemory(from: data, byteCount: made.byteCount)
            return made
        }
        var at = [Int](repeating: 0, count: shape.count), from = 0
        for i in 0..<made.count {
            (made.start + i * size).copyMemory(from: data + from * size, byteCount: size)
            for d in shape.indices.reversed() {
                from += view.strides![d]
                at[d] += 1
                if at[d] < shape[d] { break }
                from -= view.strides![d] * shape[d]
                at[d] = 0
            }
        }
        return made
    }

    static func isContiguous(_ view: tsm_tensor_view) -> Bool {
        var step = 1
        for d in (0..<Int(view.dims)).reversed() {
            if view.sizes![d] != 1 && view.strides![d] != step { return false }
            step *= view.sizes![d]
        }
        return true
    }
}
