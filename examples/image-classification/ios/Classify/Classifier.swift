import Foundation
import tsmobile

/// What may be in a picture, and how likely that is.
struct Guess: Identifiable {
    let name: String
    let probability: Double
    var id: String { name }
}

/// What libtsmobile refused, in its words.
struct Refused: LocalizedError {
    let errorDescription: String?
}

/// classifier.pt: pictures of any size in, names out. One thread at a time uses it.
final class Classifier {
    /// All the memory that the model has.
    private static let bufferBytes = 64 << 20
    private let file: UnsafeMutableRawBufferPointer
    private let buffer: UnsafeMutableRawPointer
    private let program: UnsafeMutablePointer<tsm_program>
    private let instance: OpaquePointer

    /// Reads a .tsm of the app's bundle into memory that is aligned as libtsmobile wants it.
    init(url: URL) throws {
        let data = try Data(contentsOf: url)
        let file = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 64)
        file.copyBytes(from: data)
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.bufferBytes, alignment: 64)
        let program = UnsafeMutablePointer<tsm_program>.allocate(capacity: 1)
        program.initialize(to: tsm_program())
        var message = [CChar](repeating: 0, count: 512)
        var options = tsm_options()
        options.size = MemoryLayout<tsm_options>.size
        var instance: OpaquePointer?
        var status = tsm_program_open(program, file.baseAddress!, file.count, &message, message.count)
        if status == TSM_OK {
            status = tsm_instance_init(&instance, program, &options, buffer, Self.bufferBytes)
        }
        guard status == TSM_OK, let made = instance else {
            file.deallocate()
            buffer.deallocate()
            program.deallocate()
            let text = String(cString: message)
            throw Refused(errorDescription: text.isEmpty ? String(cString: tsm_status_text(status)) : text)
        }
        self.file = file
        self.buffer = buffer
        self.program = program
        self.instance = made
    }

    deinit {
        file.deallocate()
        buffer.deallocate()
        program.deallocate()
    }

    /// `pixels` are three bytes each, row by row. The likeliest name comes first.
    func classify(pixels: inout [UInt8], width: Int, height: Int) throws -> [Guess] {
        precondition(pixels.count == 3 * width * height)
        return try pixels.withUnsafeMutableBytes { bytes in
            let sizes: [tsm_dim] = [height, width, 3]
            var picture = tsm_none()
            var names = tsm_none()
            var status = tsm_tensor_wrap(instance, &picture, TSM_UINT8, 3, sizes, nil, bytes.baseAddress)
            if status == TSM_OK {
                status = tsm_call(instance, tsm_method(program, "forward"), &picture, 1, &names)
            }
            defer {
                tsm_release(instance, names)
                tsm_release(instance, picture)
            }
            guard status == TSM_OK else {
                throw Refused(errorDescription: String(cString: tsm_error(instance)))
            }
            return (0..<tsm_sequence_size(names)).map { i in
                let pair = tsm_sequence_get(names, i)
                var length = 0
                let text = tsm_str_get(tsm_sequence_get(pair, 0), &length)!
                let name = text.withMemoryRebound(to: UInt8.self, capacity: length) {
                    String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
                }
                return Guess(name: name, probability: tsm_sequence_get(pair, 1).as.f)
            }
        }
    }
}
