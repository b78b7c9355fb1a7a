// Values that methods take and give.

/// A value of TorchScript.
public enum Value {
    case none
    case bool(Bool)
    case int(Int64)
    case float(Double)
    case complex(re: Double, im: Double)
    case string(String)
    /// By its name: "cpu".
    case device(String)
    case tensor(Tensor)
    case list([Value])
    case tuple([Value])
    /// In the order of insertion.
    case dict([(key: Value, value: Value)])
    /// An object of a class: only methods give such.
    case object(className: String, attributes: [(name: String, value: Value)])
    /// An enum member, by the qualified name of its class (or the last part of that) and its own.
    indirect case enumMember(className: String, name: String, value: Value)
}

/// What can be an argument of a method.
public protocol ValueConvertible {
    var value: Value { get }
}

extension Value: ValueConvertible { public var value: Value { self } }
extension Tensor: ValueConvertible { public var value: Value { .tensor(self) } }
extension Bool: ValueConvertible { public var value: Value { .bool(self) } }
extension Int: ValueConvertible { public var value: Value { .int(Int64(self)) } }
extension Int64: ValueConvertible { public var value: Value { .int(self) } }
extension Double: ValueConvertible { public var value: Value { .float(self) } }
extension Float: ValueConvertible { public var value: Value { .float(Double(self)) } }
extension String: ValueConvertible { public var value: Value { .string(self) } }
extension Array: ValueConvertible where Element: ValueConvertible {
    public var value: Value { .list(map(\.value)) }
}
extension Optional: ValueConvertible where Wrapped: ValueConvertible {
    public var value: Value { self?.value ?? .none }
}
extension Dictionary: ValueConvertible where Key: ValueConvertible, Value: ValueConvertible {
    public var value: TSMobile.Value { .dict(map { (key: $0.key.value, value: $0.value.value) }) }
}

/// What a value holds; nil where it is of another type.
extension Value {
    public var isNone: Bool {
        if case .none = self { return true }
        return false
    }
    public var boolValue: Bool? {
        if case .bool(let b) = self { return b }
        return nil
    }
    public var intValue: Int? {
        if case .int(let i) = self { return Int(exactly: i) }
        return nil
    }
    public var floatValue: Double? {
        if case .float(let f) = self { return f }
        return nil
    }
    public var stringValue: String? {
        if case .string(let s) = self { return s }
        return nil
    }
    public var tensorValue: Tensor? {
        if case .tensor(let t) = self { return t }
        return nil
    }
    /// The items of a list or tuple.
    public var items: [Value]? {
        switch self {
        case .list(let items), .tuple(let items): return items
        default: return nil
        }
    }

    /// Item `index` of a list or tuple; nil where there is none.
    public subscript(index: Int) -> Value? {
        guard let items = items, items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// What a dict has for a key, or an object as an attribute; nil where there is none.
    public subscript(key: String) -> Value? {
        switch self {
        case .dict(let pairs): return pairs.first { $0.key.stringValue == key }?.value
        case .object(_, let attributes): return attributes.first { $0.name == key }?.value
        default: return nil
        }
    }
}
