// What modules do: values of every kind, memory that is not copied, state, what a file says of itself.
import TSMobile

/// Memory of an app: elements that a tensor has without a copy.
final class Pixels {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 12, alignment: 16)
    let onDeinit: () -> Void

    init(_ onDeinit: @escaping () -> Void = {}) {
        self.onDeinit = onDeinit
        memory.bindMemory(to: Float.self).initialize(repeating: 5)
    }

    deinit {
        memory.deallocate()
        onDeinit()
    }

    func tensor() throws -> Tensor { try Tensor(noCopy: memory, dtype: .float32, shape: [3], owner: self) }
}

struct Use {
    let path: String
    let module: Module

    func floats(_ value: Value?) throws -> [Float] { try some(value?.tensorValue).array() }

    func ones(_ n: Int) throws -> Tensor { try Tensor([Float](repeating: 1, count: n)) }

    func testForward() throws {
        let x = try Tensor([1, 2] as [Float])
        try equal(floats(module.forward(x)), [1, 2])
        try equal(floats(module(x, 3, 0.5)), [1.5, 3])
        try equal(floats(module.call("forward", x, 2)), [2, 4])
    }

    func testThreads() throws {
        var options = Module.Options()
        options.threads = 4
        let own = try Module(module.program, options: options), other = try Module(module.program, options: options), x = try ones(1 << 20)
        for n in 0..<20 {
            let y = try some((n % 2 == 0 ? own : other)(x, n).tensorValue).array() as [Float]
            try isTrue(y[0] == Float(n) && y[y.count - 1] == Float(n))
        }
    }

    func testProfile() throws {
        var options = Module.Options()
        options.profile = true
        let own = try Module(module.program, options: options)
        for _ in 0..<2 { _ = try own(ones(2), 3) }
        let profile = try own.profile()
        try isTrue(profile.rows.allSatisfy { $0.name.contains("::") && $0.calls > 0 })
        try equal(profile.rows.filter { $0.name.hasPrefix("aten::mul") }.reduce(0) { $0 + $1.calls }, 4)
        try isTrue(zip(profile.rows, profile.rows.dropFirst()).allSatisfy { $0.nanoseconds >= $1.nanoseconds })
        let lines = profile.description.split(separator: "\n")
        try isTrue(lines.count == profile.rows.count + 1 && lines[0].hasSuffix("calls        bytes  operator"))
    }

    func testPlainValues() throws {
        let numbers = try module.call("numbers", -(1 << 62), 0.1, true, Value.complex(re: 1, im: -2))
        try equal(numbers[0]?.intValue, -(1 << 62))
        try equal(numbers[1]?.floatValue, 0.1)
        try equal(numbers[2]?.boolValue, true)
        guard case .complex(re: 1, im: -2)? = numbers[3] else { throw Failure(description: "complex") }
        for text in ["", "a", "h\u{e9}llo \u{1f600}", "a\0b", String(repeating: "xy", count: 5000)] {
            try equal(module.call("text", text).stringValue, text)
        }
        guard case .device("cuda:1") = try module.call("where", Value.device("cuda:1")) else { throw Failure(description: "device") }
        let green = try module.call("color", Value.enumMember(className: "Color", name: "GREEN", value: .none))
        guard case .enumMember(_, "GREEN", let two) = try module.call("color", green) else { throw Failure(description: "enum") }
        try equal(two.intValue, 2)
    }

    func testContainers() throws {
        let none = try module.call("optional", Optional<Tensor>.none, 4)
        try isTrue(try some(none[0]).isNone)
        try equal(none[1]?.intValue, 4)
        let tensors = try module.call("tensors", [ones(1), Tensor([2, 3] as [Float])])
        try equal(floats(tensors[1]), [2, 3])
        try equal(module.call("tensors", [Tensor]()).items?.count, 0)
        try equal(module.call("floats", (0..<3000).map(Double.init)).items?.last?.floatValue, 2999)
        let table = try module.call("table", Value.dict([(key: .string("b"), value: [1, 2].value), (key: .string("a"), value: [Int]().value)]))
        try equal(table["b"]?[1]?.intValue, 2)
        try equal(module.call("table", ["k": [7]])["k"]?[0]?.intValue, 7)
        guard case .dict(let pairs) = table else { throw Failure(description: "dict") }
        try equal(pairs.map { $0.key.stringValue }, ["b", "a"])
        let nested = try module.call("nested", Value.tuple([.int(1), .tuple([.string("s"), .tensor(ones(1))])]))
        try equal(nested[1]?[0]?.stringValue, "s")
        let boxes = try module.call("boxes", ones(2))
        try equal(boxes[1]?["name"]?.stringValue, "b")
        try equal(floats(boxes[1]?["item"]), [1, 1])
    }

    func testEveryType() throws {
        for dtype in DType.allCases {
            let quantizer = dtype.description.hasPrefix("q") ? Quantizer(scale: 0.5, zeroPoint: 3) : nil
            let bytes = (0..<6 * dtype.size).map { UInt8(truncatingIfNeeded: dtype == .bool ? $0 % 2 : 17 * $0) }
            let x = try Tensor(bytes: bytes, dtype: dtype, shape: [2, 3], quantizer: quantizer)
            let y = try some(module.call("echo", x).tensorValue)
            try equal(y.dtype, dtype)
            try equal(y.shape, [2, 3])
            try equal(y.quantizer, quantizer)
            try equal(y.withUnsafeBytes { Array($0) }, bytes)
        }
        try equal(some(module.call("echo", Tensor([1, -2] as [Int])).tensorValue).array() as [Int], [1, -2])
        try equal(some(module.call("echo", Tensor([true, false])).tensorValue).array() as [Bool], [true, false])
        try equal(some(module.call("echo", Tensor([Float](), shape: [0, 5])).tensorValue).shape, [0, 5])
        let rows = try some(module.call("quantize_rows", Tensor([1, 2, 1, 2] as [Float], shape: [2, 2])).tensorValue)
        try equal(rows.quantizer, Quantizer(axis: 0, scales: [0.5, 0.25], zeroPoints: [0, 1]))
        try equal(floats(module.call("plain", rows)), [1, 2, 1, 2])
    }

    func testMemoryIsNotCopied() throws {
        var gone = 0
        do {
            let pixels = Pixels { gone += 1 }
            let x = try pixels.tensor()
            pixels.memory.storeBytes(of: 7, as: Float.self)
            try equal(floats(module(x)), [7, 5, 5])
            _ = try module.call("change", x)
            try equal(pixels.memory.load(as: Float.self), 8)
            try equal(x.withUnsafeElements(of: Float.self) { $0[1] }, 6)
        }
        try equal(gone, 1)
    }

    /// What the program keeps of the app's memory stays, and goes when it is no longer kept.
    func testArgumentsThatTheProgramKeeps() throws {
        let own = try Module(module.program)
        var gone = 0
        for _ in 0..<3 { _ = try own.call("keep", Pixels { gone += 1 }.tensor()) }
        try equal(floats(own.call("give_kept")), [5, 5, 5])
        try equal(gone, 2)
        try own.reset()
        try equal(gone, 3)
        try equal(floats(own.call("give_kept")).count, 1)
    }

    func testViews() throws {
        var own: Module? = try Module(module.program)
        var view: Tensor? = try own!.view("forward", ones(2), 4).tensorValue
        _ = try own!.call("forward", ones(2), 9)
        try equal(some(view).array() as [Float], [4, 4])
        try refused(.inUse, "1 tensor(s) over the program's buffer are still held") { try own!.reset() }
        try refused(.badArgument, "may not be written to") { try some(view).withUnsafeElements(of: Float.self) { $0[0] = 1 } }
        _ = try own!.call("change", some(view))
        try equal(some(view).array() as [Float], [4, 4])
        view = nil
        try own!.reset()
        let last = try some(own!.view("forward", ones(3)).tensorValue)
        own = nil
        try equal(last.array() as [Float], [1, 1, 1])
    }

    func testState() throws {
        let own = try Module(module.program)
        _ = try own.call("add", ones(3))
        let state = try own.saveState()
        _ = try own.call("add", ones(3))
        let drawn = try floats(own.call("draw", 3))
        try own.loadState(state)
        try equal(floats(own.call("add", Tensor(zeros: .float32, shape: [3]))), [1, 1, 1])
        try equal(floats(own.call("draw", 3)), drawn)
        try own.reset()
        try equal(floats(own.call("add", Tensor(zeros: .float32, shape: [3]))), [0, 0, 0])
    }

    func testWhatTheFileSays() throws {
        let forward = try module.program.method("forward")
        try isTrue(module.program.methods.count > 20 && module.program.producer.hasPrefix("tsmc "))
        try isTrue(forward.schema.hasPrefix("forward(Tensor x, int n=1, float scale=1."))
        try equal(forward.doc, "Multiplies.")
        try equal(forward.inputs[1].name, "n")
        try equal(forward.inputs[1].type, "int")
        try isTrue(forward.inputs[0].dtype == nil && module.program.metadata["source.sha256"] != nil)
        try equal(module.program.method("pair").outputs[0].name, "first")
        try isTrue(try module.usage().usedBytes > 0)
    }

    func testPrinting() throws {
        var options = Module.Options(), printed = "", warned = ""
        options.print = { printed += $0 }
        options.warn = { warned += $0 }
        let own = try Module(module.program, options: options)
        _ = try own.call("say", "h\u{e9}llo")
        _ = try own.call("caution", "careful")
        try equal(printed, "h\u{e9}llo\n")
        try isTrue(!warned.isEmpty)
    }
}
