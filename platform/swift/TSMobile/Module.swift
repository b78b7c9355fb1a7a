// An instance of a program, and its calls.
import Dispatch
import tsmobile

/// An instance of a program, with memory of its own: what methods change of the module's attributes stays. One thread at a
/// time uses it; a second one gets an error (`busy`), at once, and makes another module of the same program.
public final class Module {
    public struct Options {
        /// The memory to run in; nil: as much as is needed.
        public var bufferBytes: Int?
        /// The most threads that operators may use, the calling one among them.
        public var threads = 1
        /// Whether time and bytes are counted by operator, for `profile()`.
        public var profile = false
        /// The most instructions, and units of work, that one call may take; 0: no limit.
        public var fuel: UInt64 = 0
        /// Takes what the program prints.
        public var print: (String) -> Void = { Swift.print($0, terminator: "") }
        /// Takes the texts of warnings.
        public var warn: (String) -> Void = { Swift.print($0, terminator: "") }

        public init() {}
    }

    /// How much of the buffer is in use, and what the last call executed.
    public struct Usage {
        public let bufferBytes, fixedBytes, usedBytes, highWaterBytes: Int
        public let instructions, work: UInt64
    }

    public let program: Program
    private let memory: Memory

    private static let mostBuffer = MemoryLayout<Int>.size == 8 ? 1 << 32 : 1 << 28
    private static let leastBuffer = 1 << 20

    /// An instance of an opened program.
    public init(_ program: Program, options: Options = Options()) throws {
        self.program = program
        memory = try Memory(program, options)
    }

    /// An instance of the program in a file, which is mapped: nobody may write to it meanwhile.
    public convenience init(path: String, options: Options = Options()) throws {
        try self.init(Program(path: path), options: options)
    }

    // MARK: Calls

    /// Calls forward, or the only method. Arguments that are left out at the end have their defaults.
    public func forward(_ inputs: ValueConvertible...) throws -> Value {
        try run(program.forward(), inputs, isCopied: true, orRestore: false)
    }

    /// Calls forward, or the only method.
    public func callAsFunction(_ inputs: ValueConvertible...) throws -> Value {
        try run(program.forward(), inputs, isCopied: true, orRestore: false)
    }

    /// Calls a method.
    public func call(_ name: String, _ inputs: ValueConvertible...) throws -> Value {
        try run(program.method(name), inputs, isCopied: true, orRestore: false)
    }

    /// Calls a method, all or nothing: where the call fails, attributes are as they were before it (docs/state.md).
    public func callOrRestore(_ name: String, _ inputs: ValueConvertible...) throws -> Value {
        try run(program.method(name), inputs, isCopied: true, orRestore: true)
    }

    /// Calls a method without copying the tensors that it gives: they lie in the module's buffer, whose memory is not used
    /// for anything else while they are held. An attribute that is given so changes when the program changes it.
    public func view(_ name: String, _ inputs: ValueConvertible...) throws -> Value {
        try run(program.method(name), inputs, isCopied: false, orRestore: false)
    }

    private func run(_ method: Program.MethodInfo, _ inputs: [ValueConvertible], isCopied: Bool, orRestore: Bool) throws -> Value {
        try memory.use {
            let maker = Maker(memory.instance)
            defer { memory.settle(maker.finish()) }
            let given = try inputs.map { try maker.make($0.value, 0) }
            var result = tsm_none()
            let call = orRestore ? tsm_call_or_restore : tsm_call
            try memory.check(call(memory.instance, Int32(method.index), given, given.count, &result))
            defer { tsm_release(memory.instance, result) }
            return try Taker(memory, isCopied).take(result, 0)
        }
    }

    // MARK: State

    /// Puts all attributes back to what the file holds, and random numbers back to their beginning.
    public func reset() throws {
        try memory.use { try memory.layOut { tsm_instance_reset($0) } }
    }

    /// What the program has changed of its attributes, for `loadState` of a module of the same file, on whatever machine.
    public func saveState() throws -> [UInt8] {
        try memory.use {
            var needed = 0
            try memory.check(tsm_instance_save(memory.instance, nil, 0, &needed))
            var state = [UInt8](repeating: 0, count: needed)
            try memory.check(tsm_instance_save(memory.instance, &state, state.count, &needed))
            return state
        }
    }

    /// Brings the module to a state. One that is refused leaves it as it was, or, when the buffer is too small, as `reset`
    /// does.
    public func loadState(_ state: [UInt8]) throws {
        try memory.use { try memory.layOut { tsm_instance_load($0, state, state.count) } }
    }

    /// How much of the buffer is in use, and what the last call executed.
    public func usage() throws -> Usage {
        try memory.use {
            let u = tsm_instance_usage(memory.instance)
            return Usage(bufferBytes: u.buffer_bytes, fixedBytes: u.fixed_bytes, usedBytes: u.used_bytes,
                         highWaterBytes: u.high_water_bytes, instructions: u.instructions, work: u.work)
        }
    }

    /// Where the time of all calls so far went, by operator; of a module whose options had `profile`.
    public func profile() throws -> Profile {
        guard memory.isCounting else { throw TSMobileError(.badArgument, "the module does not count: its options had no profile") }
        return try memory.use { Profile(memory.instance) }
    }

    // MARK: The instance

    /// The instance with its buffer, and what is held on each side. Views keep it, also when the module has gone.
    final class Memory {
        let instance: OpaquePointer
        let isCounting: Bool
        private let program: Program
        private let buffer: Mapping
        private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Memory.messageBytes)
        private let surroundings: Surroundings
        private let running = Lock(), counting = Lock()
        /// Tensors that the program keeps, each a value over its memory.
        private var held: [(value: tsm_value, tensor: Tensor)] = []
        /// Such tensors, until the instance is as at the beginning.
        private var kept: [Tensor] = []
        /// Guarded by `counting`: values of views, and those that nobody holds any more.
        private var views = 0
        private var gone: [tsm_value] = []

        private static let messageBytes = 1 << 14

        init(_ program: Program, _ options: Options) throws {
            self.program = program
            guard options.threads > 0 else { throw TSMobileError(.badArgument, "\(options.threads) threads") }
            surroundings = Surroundings(options.print, options.warn, options.threads)
            isCounting = options.profile
            let wanted = options.bufferBytes
            var bytes = wanted.map { max($0, 1) } ?? Module.mostBuffer
            var mapped = Mapping.pages(bytes)
            while mapped == nil && wanted == nil && bytes > Module.leastBuffer {
                bytes /= 2
                mapped = Mapping.pages(bytes)
            }
            guard let buffer = mapped else {
                message.deallocate()
                throw TSMobileError(.outOfMemory, "the system has no memory for a buffer of \(bytes) bytes")
            }
            self.buffer = buffer
            message[0] = 0
            var settings = tsm_options()
            settings.size = MemoryLayout<tsm_options>.size
            settings.platform.context = Unmanaged.passUnretained(surroundings).toOpaque()
            settings.platform.print = { Surroundings.of($0).print(text($1, $2)) }
            settings.platform.warn = { Surroundings.of($0).warn(text($1, $2)) }
            settings.platform.nanoseconds = { nanoseconds($0) }
            if options.threads > 1 {
                settings.platform.parallel = { Surroundings.of($0).share($1, $2, $3) }
            }
            settings.profile = options.profile
            settings.fuel = options.fuel
            settings.message = message
            settings.message_bytes = Memory.messageBytes
            var made: OpaquePointer?
            let status = tsm_instance_init(&made, program.pointer, &settings, buffer.start, wanted ?? bytes)
            guard status == TSM_OK, let instance = made else {
                let said = String(cString: message)
                message.deallocate()
                throw TSMobileError(status, said)
            }
            self.instance = instance
        }

        deinit {
            message.deallocate()
        }

        func check(_ status: tsm_status) throws {
            if status != TSM_OK { throw TSMobileError(status, String(cString: tsm_error(instance))) }
        }

        /// One call at a time.
        func use<R>(_ body: () throws -> R) throws -> R {
            guard running.tryLock() else {
                throw TSMobileError(.busy, "the program is running; another thread makes a Module of its own")
            }
            defer { running.unlock() }
            for value in counting.hold({ () -> [tsm_value] in defer { gone = [] }; return gone }) {
                tsm_release(instance, value)
            }
            let before = held
            held = []
            settle(before)
            return try body()
        }

        /// Releases tensors over Swift's memory; those that the program still refers to are held, with that memory.
        func settle(_ wrapped: [(value: tsm_value, tensor: Tensor)]) {
            for (value, tensor) in wrapped {
                if tsm_is_shared(value) {
                    held.append((value, tensor))
                } else {
                    tsm_release(instance, value)
                }
            }
        }

        /// For what lays the instance's memory out again: values from earlier calls must be gone.
        func layOut(_ body: (OpaquePointer) -> tsm_status) throws {
            let count = counting.hold { views }
            guard count == 0 else { throw TSMobileError(.inUse, "\(count) tensor(s) over the program's buffer are still held") }
            for (value, tensor) in held {
                tsm_release(instance, value)
                kept.append(tensor)
            }
            held = []
            try check(body(instance))
            kept = []
        }

        /// A value that a view holds until it goes, in whatever thread.
        func hold(_ value: tsm_value) -> AnyObject {
            tsm_retain(value)
            counting.hold { views += 1 }
            return View(self, value)
        }

        fileprivate func drop(_ value: tsm_value) {
            counting.hold {
                views -= 1
                gone.append(value)
            }
        }
    }

    private final class View {
        let memory: Memory
        let value: tsm_value

        init(_ memory: Memory, _ value: tsm_value) {
            (self.memory, self.value) = (memory, value)
        }

        deinit {
            memory.drop(value)
        }
    }
}

private func text(_ bytes: UnsafePointer<CChar>, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
}

/// What a running program reaches.
private final class Surroundings {
    let print, warn: (String) -> Void
    private let threads: Int

    init(_ print: @escaping (String) -> Void, _ warn: @escaping (String) -> Void, _ threads: Int) {
        (self.print, self.warn, self.threads) = (print, warn, threads)
    }

    /// Runs the tasks, each thread one after the other.
    func share(_ task: @convention(c) (UnsafeMutableRawPointer?, Int) -> Void, _ argument: UnsafeMutableRawPointer?, _ tasks: Int) {
        let threads = min(self.threads, tasks)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for index in stride(from: thread, to: tasks, by: threads) { task(argument, index) }
        }
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Surroundings {
        Unmanaged<Surroundings>.fromOpaque(context!).takeUnretainedValue()
    }
}
