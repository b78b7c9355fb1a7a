// A .tsm file, and what it says of itself.
import tsmobile

/// An opened and verified .tsm file. Modules are made of it, as many as there are threads; all use the file where it lies.
public final class Program {
    /// What is known of an input or output of a method.
    public struct ValueInfo {
        /// Of an argument, or of a NamedTuple's field; "" where there is none.
        public let name: String
        /// As TorchScript writes it: "Tensor", "Optional[int]".
        public let type: String
        /// Of a tensor.
        public let dtype: DType?
        /// Of a tensor; -1: any.
        public let shape: [Int]?

        init(_ info: tsm_value_info) {
            name = String(cString: info.name)
            type = String(cString: info.type)
            dtype = DType(rawValue: info.dtype)
            shape = info.rank < 0 ? nil : (0..<Int(info.rank)).map { Int(info.sizes![$0]) }
        }
    }

    /// What is known of a method.
    public struct MethodInfo {
        let index: Int
        public let name: String
        /// As TorchScript prints it: "forward(Tensor x, int n=1) -> Tensor".
        public let schema: String
        /// What the author wrote about it; "" when that is not known.
        public let doc: String
        /// The buffer that a call needs with arguments as in the file's example; 0: it is not known.
        public let bufferBytes: Int
        public let inputs: [ValueInfo]
        public let outputs: [ValueInfo]

        init(_ program: UnsafePointer<tsm_program>, _ index: Int) {
            self.index = index
            name = String(cString: tsm_method_name(program, index))
            schema = String(cString: tsm_method_schema(program, index))
            doc = String(cString: tsm_method_doc(program, index))
            bufferBytes = tsm_method_bytes(program, index)
            inputs = (0..<tsm_method_arguments(program, index)).map { ValueInfo(tsm_method_input(program, index, $0)) }
            outputs = (0..<tsm_method_outputs(program, index)).map { ValueInfo(tsm_method_output(program, index, $0)) }
        }
    }

    /// Which tsmc wrote the file.
    public let producer: String
    /// What tsmc --meta was given, and where the program came from.
    public let metadata: [String: String]
    /// In the file's order.
    public let methods: [MethodInfo]

    let pointer: UnsafeMutablePointer<tsm_program>
    private let file: Mapping

    /// Maps a file: nobody may write to it while it is open. `checksums`: whether all of it is read and compared with them.
    public convenience init(path: String, checksums: Bool = true) throws {
        let file = try Mapping.file(path)
        try self.init(file, file.count, checksums)
    }

    /// A copy of the bytes of a file.
    public convenience init<Bytes: Collection>(_ bytes: Bytes, checksums: Bool = true) throws where Bytes.Element == UInt8 {
        guard let file = Mapping.pages(max(bytes.count, 1)) else {
            throw TSMobileError(.outOfMemory, "the system has no memory for a file of \(bytes.count) bytes")
        }
        UnsafeMutableRawBufferPointer(start: file.start, count: file.count).copyBytes(from: bytes)
        try self.init(file, bytes.count, checksums)
    }

    private init(_ file: Mapping, _ bytes: Int, _ checksums: Bool) throws {
        self.file = file
        let program = UnsafeMutablePointer<tsm_program>.allocate(capacity: 1)
        program.initialize(to: tsm_program())
        pointer = program
        var message = [CChar](repeating: 0, count: 1024)
        var status = tsm_program_open(program, file.start, bytes, &message, message.count)
        if status == TSM_OK && checksums {
            status = tsm_program_check_sums(program, &message, message.count)
            if status == TSM_UNSUPPORTED { status = TSM_OK } // files of 0.1.0 have no checksums
        }
        guard status == TSM_OK else {
            program.deallocate()
            throw TSMobileError(status, String(cString: message))
        }
        producer = String(cString: tsm_producer(program))
        methods = (0..<tsm_method_count(program)).map { MethodInfo(program, $0) }
        metadata = Program.metadata(of: program)
    }

    deinit {
        pointer.deallocate()
    }

    private static func metadata(of program: UnsafePointer<tsm_program>) -> [String: String] {
        var found: [String: String] = [:]
        for i in 0..<tsm_metadata_count(program) {
            var value: UnsafePointer<CChar> = tsm_producer(program)
            let key = String(cString: tsm_metadata_get(program, i, &value))
            found[key] = String(cString: value)
        }
        return found
    }

    /// The method of a name.
    public func method(_ name: String) throws -> MethodInfo {
        if let method = methods.first(where: { $0.name == name }) { return method }
        let names = methods.map(\.name).joined(separator: ", ")
        throw TSMobileError(.badArgument, "the program has no method '\(name)'; it has \(names)")
    }

    /// forward, or the only method.
    func forward() throws -> MethodInfo {
        methods.count == 1 ? methods[0] : try method("forward")
    }
}
