// What libtsmobile, or this package, refuses.
import tsmobile

/// A refusal: its kind, and the text of the C interface. For `raised` that is the traceback, with the lines of the model's
/// Python code.
public struct TSMobileError: Error, Equatable, CustomStringConvertible {
    public enum Kind: Equatable {
        case raised, outOfMemory, badFile, unsupported, badArgument, outOfFuel, tooDeep, internalFault
        /// The module runs already: in another thread, or around a printer.
        case busy
        /// Views of results are still held.
        case inUse
    }

    public let kind: Kind
    public let message: String

    public var description: String { message }

    /// The last line of the message: of a traceback, the class of the exception and its text.
    public var lastLine: String {
        String(message.split(separator: "\n").last ?? "")
    }

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ status: tsm_status, _ message: String) {
        switch status {
        case TSM_RAISED: kind = .raised
        case TSM_OUT_OF_MEMORY: kind = .outOfMemory
        case TSM_BAD_FILE: kind = .badFile
        case TSM_UNSUPPORTED: kind = .unsupported
        case TSM_BAD_ARGUMENT: kind = .badArgument
        case TSM_OUT_OF_FUEL: kind = .outOfFuel
        case TSM_TOO_DEEP: kind = .tooDeep
        default: kind = .internalFault
        }
        self.message = message
    }
}
