// A few lines that run tests.
import Foundation
import TSMobile

struct Failure: Error, CustomStringConvertible {
    let description: String
}

func equal<T: Equatable>(_ got: T, _ wanted: T, line: UInt = #line) throws {
    if got != wanted { throw Failure(description: "line \(line): got \(got), not \(wanted)") }
}

func some<T>(_ value: T?, line: UInt = #line) throws -> T {
    guard let value = value else { throw Failure(description: "line \(line): nil") }
    return value
}

func isTrue(_ condition: Bool, line: UInt = #line) throws {
    if !condition { throw Failure(description: "line \(line): not so") }
}

/// Runs what must throw an error of this kind, with this text, and returns it.
@discardableResult
func refused(_ kind: TSMobileError.Kind, _ text: String, line: UInt = #line, _ body: () throws -> Void) throws -> TSMobileError {
    do {
        try body()
    } catch let e as TSMobileError {
        let isThere = text.isEmpty || e.message.indices.contains { e.message[$0...].hasPrefix(text) }
        if e.kind != kind || !isThere { throw Failure(description: "line \(line): got \(e.kind): \(e.message)") }
        return e
    }
    throw Failure(description: "line \(line): no error; wanted \(kind): \(text)")
}

func run(_ tests: [(String, () throws -> Void)]) {
    for (name, test) in tests {
        do {
            try test()
        } catch {
            print("FAIL: \(name): \(error)")
            exit(1)
        }
    }
    print("ok: \(tests.count) tests of TSMobile")
}
