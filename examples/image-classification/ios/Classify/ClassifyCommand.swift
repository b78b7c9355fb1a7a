#if !os(iOS)
import Foundation

/// Classify MODEL.tsm PICTURE.ppm...: what the app shows, in lines of text.
@main
struct ClassifyCommand {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else {
            complain("usage: Classify MODEL.tsm PICTURE.ppm...")
            exit(2)
        }
        do {
            let classifier = try Classifier(url: URL(fileURLWithPath: arguments[1]))
            for name in arguments[2...] {
                let picture = try Pixmap(url: URL(fileURLWithPath: name))
                print(name)
                for guess in try classifier.classify(pixels: picture.pixels, width: picture.width, height: picture.height) {
                    print(String(format: "%7.1f %%  ", 100 * guess.probability) + guess.name)
                }
            }
        } catch {
            complain(error.localizedDescription)
            exit(1)
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data(("Classify: " + text + "\n").utf8))
    }
}

/// A picture in the simplest format that there is (`P6`), since Foundation decodes no other.
private struct Pixmap {
    let width, height: Int
    let pixels: [UInt8]

    init(url: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: url))
        var at = 0

        /// The next word of the head. What follows `#` in a line is a comment.
        func word() -> String {
            var letters: [UInt8] = [], isComment = false
            while at < bytes.count {
                let byte = bytes[at]
                let isSpace = byte == 32 || (9...13).contains(byte)
                if isSpace && !letters.isEmpty { break }
                if byte == UInt8(ascii: "#") && letters.isEmpty { isComment = true }
                if !isSpace && !isComment { letters.append(byte) }
                if byte == 10 { isComment = false }
                at += 1
            }
            return String(decoding: letters, as: UTF8.self)
        }

        guard word() == "P6", let width = Int(word()), let height = Int(word()), word() == "255", width > 0, height > 0,
              bytes.count > at + 1, (bytes.count - at - 1) / 3 / width >= height else {
            throw Refused(errorDescription: url.lastPathComponent + " is no picture in the format PPM (P6)")
        }
        self.width = width
        self.height = height
        pixels = Array(bytes[(at + 1)...].prefix(3 * width * height))
    }
}
#endif
