// What is refused, and that the module goes on afterwards.
import Dispatch
import TSMobile

struct Refuse {
    let file: [UInt8]
    let use: Use
    var module: Module { use.module }

    private func wrong(_ kind: TSMobileError.Kind, _ text: String, line: UInt = #line, _ body: () throws -> Void) throws {
        try refused(kind, text, line: line, body)
        try equal(module.call("count", 10).intValue, 9)
    }

    func testDamagedFiles() throws {
        var chance = SystemRandomNumberGenerator()
        for n in 0..<60 {
            var data = n % 2 == 0 ? Array(file.prefix(Int.random(in: 0..<file.count, using: &chance))) : file
            if n % 2 == 1 { data[Int.random(in: 0..<data.count, using: &chance)] ^= 1 << UInt8.random(in: 0..<8, using: &chance) }
            do {
                _ = try Program(data)
                throw Failure(description: "a damaged file was opened")
            } catch let e as TSMobileError {
                try isTrue((e.kind == .badFile || e.kind == .unsupported) && !e.message.isEmpty)
            }
        }
        try wrong(.badFile, "/nowhere/model.tsm: No such file") { _ = try Module(path: "/nowhere/model.tsm") }
        try wrong(.badFile, "/tmp: the file is empty, or is no file") { _ = try Program(path: "/tmp") }
    }

    /// What opens in spite of its damage runs, or raises; nothing breaks.
    func testDamagedFilesWithoutChecksums() throws {
        var options = Module.Options()
        (options.fuel, options.bufferBytes, options.print, options.warn) = (100000, 1 << 20, { _ in }, { _ in })
        for _ in 0..<150 {
            var data = file
            data[Int.random(in: 64..<data.count)] ^= 1 << UInt8.random(in: 0..<8)
            do {
                let own = try Module(Program(data, checksums: false), options: options)
                for method in own.program.methods.prefix(8) {
                    do { _ = try own.call(method.name, use.ones(3)) } catch is TSMobileError {}
                }
            } catch is TSMobileError {}
        }
    }

    func testWrongArguments() throws {
        let x = try use.ones(2)
        try wrong(.badArgument, "forward() is missing value for argument 'x'. Declaration: forward(Tensor x") { _ = try module() }
        try wrong(.badArgument, "expected at most 3 argument(s) but received 4") { _ = try module(x, 1, 1.0, 5) }
        try wrong(.badArgument, "Expected a value of type 'Tensor' for argument 'x' but instead found type 'int'") { _ = try module(3) }
        try wrong(.badArgument, "Expected a value of type 'int' for argument 'n' but instead found type 'float'") { _ = try module(x, 1.5) }
        try wrong(.badArgument, "there is no enum member Color.BLUE") {
            _ = try module.call("color", Value.enumMember(className: "Color", name: "BLUE", value: .none))
        }
        try wrong(.badArgument, "the program has no method 'forwards'; it has ") { _ = try module.call("forwards") }
        let box = try some(module.call("boxes", x)[0])
        try wrong(.badArgument, "cannot be an argument") { _ = try module.call("echo", box) }
        var deep = x.value
        for _ in 0..<300 { deep = .list([deep]) }
        try wrong(.badArgument, "nests deeper") { _ = try module.call("echo", deep) }
        try wrong(.raised, "loat") { _ = try module.call("quantize", Tensor([1.0, 2.0])) }
    }

    func testTensorsThatAreNone() throws {
        try wrong(.badArgument, "2 elements do not fill a tensor of sizes [3]") { _ = try Tensor([1, 2] as [Float], shape: [3]) }
        try wrong(.badArgument, "are no sizes") { _ = try Tensor(zeros: .float32, shape: [-1]) }
        try wrong(.badArgument, "are no sizes") { _ = try Tensor(zeros: .float32, shape: [1 << 40, 1 << 40]) }
        try wrong(.badArgument, "at most 8 dimensions, not 9") { _ = try Tensor(zeros: .bool, shape: [Int](repeating: 1, count: 9)) }
        try wrong(.badArgument, "quint8 needs a quantizer") { _ = try Tensor(zeros: .quint8, shape: [1]) }
        try wrong(.badArgument, "a tensor of float32 has no elements of Double") { _ = try use.ones(1).array(of: Double.self) }
        let odd = try Tensor(zeros: .quint8, shape: [2], quantizer: Quantizer(axis: 7, scales: [1, 1], zeroPoints: [0, 0]))
        try wrong(.badArgument, "") { _ = try module.call("plain", odd) }
    }

    func testOddValues() throws {
        try wrong(.badArgument, "a zero character") { _ = try module.call("where", Value.device("cpu\0:1")) }
        try wrong(.badArgument, "a zero character") { _ = try module.call("color", Value.enumMember(className: "Color", name: "RED\0", value: .none)) }
        try equal(module.call("echo", Tensor(zeros: .float32, shape: [2, 0, 3])).tensorValue?.shape, [2, 0, 3])
        try equal(some(module.call("echo", Tensor([Int.min], shape: [])).tensorValue).array() as [Int], [Int.min])
        var options = Module.Options()
        options.threads = 0
        try wrong(.badArgument, "0 threads") { _ = try Module(module.program, options: options) }
        try wrong(.badArgument, "does not count") { _ = try module.profile() }
    }

    func testAProgramThatRaises() throws {
        let e = try refused(.raised, "raise ValueError(\"the number is too large\")") { _ = try module.call("fail", 3) }
        try isTrue(e.lastLine.hasSuffix("the number is too large") && e.message.hasPrefix("The following operation failed in the TorchScript interpreter."))
        try refused(.raised, "too large") { _ = try module.callOrRestore("fail", 3) }
        try equal(module.callOrRestore("fail", 2).intValue, 2)
    }

    func testLimits() throws {
        var options = Module.Options()
        options.fuel = 10000
        let own = try Module(module.program, options: options)
        try refused(.outOfFuel, "the limit") { _ = try own.call("count", 1 << 40) }
        try equal(own.call("count", 10).intValue, 9)
        var failed = 0
        for bytes in [0, 1, 63, 1000, 10000, 20000, 50000, 1 << 18] {
            options.bufferBytes = bytes
            do {
                let small = try Module(module.program, options: options)
                options.fuel = 0
                try refused(.outOfMemory, "bytes") { _ = try small(use.ones(1 << 16), 2) }
                try equal(small.call("count", 10).intValue, 9)
            } catch let e as TSMobileError {
                try equal(e.kind, .outOfMemory)
                failed += 1
            }
            options.fuel = 0
        }
        try isTrue(failed > 2 && failed < 8)
        options.bufferBytes = 1 << 60
        try refused(.outOfMemory, "the system has no memory") { _ = try Module(module.program, options: options) }
    }

    func testStates() throws {
        let own = try Module(module.program)
        _ = try own.call("add", use.ones(3))
        let state = try own.saveState()
        for n in 0..<100 {
            var wrong = n % 2 == 0 ? state : Array(state.prefix(Int.random(in: 0..<state.count)))
            if n % 2 == 0 { wrong[Int.random(in: 0..<wrong.count)] ^= 1 << UInt8.random(in: 0..<8) }
            do {
                try own.loadState(wrong)
                throw Failure(description: "a damaged state was loaded")
            } catch is TSMobileError {}
        }
        try equal(use.floats(own.call("add", use.ones(3))), [2, 2, 2])
    }

    func testTwoThreadsOnOneModule() throws {
        var options = Module.Options()
        let entered = DispatchSemaphore(value: 0), leave = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
        options.print = { _ in
            entered.signal()
            leave.wait()
        }
        let own = try Module(module.program, options: options)
        DispatchQueue.global().async {
            _ = try? own.call("say", "a")
            done.signal()
        }
        entered.wait()
        try refused(.busy, "the program is running") { _ = try own.call("count", 1) }
        try refused(.busy, "the program is running") { try own.reset() }
        try refused(.busy, "the program is running") { _ = try own.saveState() }
        try equal(Module(own.program).call("count", 10).intValue, 9)
        leave.signal()
        done.wait()
        try equal(own.call("count", 10).intValue, 9)
    }

    func testModulesSideBySide() throws {
        let program = module.program
        let faults = DispatchQueue(label: "faults")
        var wrong = 0
        DispatchQueue.concurrentPerform(iterations: 4) { seed in
            do {
                let own = try Module(program), x = try use.ones(1000)
                var views: [Tensor] = []
                for n in 0..<200 {
                    let y = try some(own.view("forward", x, n * seed).tensorValue)
                    if try y.array()[999] != Float(n * seed) { faults.sync { wrong += 1 } }
                    views.append(y)
                    if views.count > 5 { views.removeFirst(3) }
                }
            } catch {
                faults.sync { wrong += 1 }
            }
        }
        try equal(wrong, 0)
    }
}
