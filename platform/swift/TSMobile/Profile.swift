// Where the time of calls went.
import tsmobile

/// A table of operators, those that took longest first; its description is text.
public struct Profile: CustomStringConvertible {
    /// An operator: how often it ran, how long in all, and the bytes by which it made the buffer's use grow.
    public struct Row {
        public let name: String
        public let calls: UInt64
        public let nanoseconds: UInt64
        public let bytes: UInt64
    }

    public let rows: [Row]

    init(_ instance: OpaquePointer) {
        var found: [Row] = [], row = tsm_profile_row(), number = 0
        while tsm_profile_get(instance, number, &row) {
            number += 1
            guard row.calls > 0, let name = row.name else { continue }
            found.append(Row(name: String(cString: name), calls: row.calls, nanoseconds: row.nanoseconds, bytes: row.bytes))
        }
        rows = found.sorted { $0.nanoseconds > $1.nanoseconds }
    }

    public var description: String {
        let all = Double(max(1, rows.reduce(0) { $0 + $1.nanoseconds }))
        let lines = rows.map { row in
            [fixed(Double(row.nanoseconds) / 1e6, 3, 10), fixed(100 * Double(row.nanoseconds) / all, 1, 6), right(String(row.calls), 8),
             right(String(row.bytes), 12), " " + row.name].joined(separator: " ")
        }
        return ([[right("ms", 10), right("%", 6), right("calls", 8), right("bytes", 12), " operator"].joined(separator: " ")] + lines).joined(separator: "\n")
    }
}

private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A number that is not negative, with so many digits behind the point.
private func fixed(_ number: Double, _ digits: Int, _ width: Int) -> String {
    let scale = (0..<digits).reduce(1) { n, _ in 10 * n }
    let scaled = Int((number * Double(scale)).rounded()), part = String(scaled % scale)
    return right("\(scaled / scale).\(String(repeating: "0", count: digits - part.count))\(part)", width)
}
