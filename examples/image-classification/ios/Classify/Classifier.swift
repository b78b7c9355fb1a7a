import Foundation
import TSMobile

/// What may be in a picture, and how likely that is.
struct Guess: Identifiable {
    let name: String
    let probability: Double
    var id: String { name }
}

/// What cannot be done, in words for the user.
struct Refused: LocalizedError {
    let errorDescription: String?
}

/// classifier.pt: pictures of any size in, names out. One thread at a time uses it.
final class Classifier {
    private let module: Module

    init(url: URL) throws {
        module = try words { try Module(path: url.path) }
    }

    /// `pixels` are three bytes each, row by row. The likeliest name comes first.
    func classify(pixels: [UInt8], width: Int, height: Int) throws -> [Guess] {
        try words {
            let names = try module(Tensor(bytes: pixels, dtype: .uint8, shape: [height, width, 3]))
            return (names.items ?? []).compactMap { pair in
                guard let name = pair[0]?.stringValue, let probability = pair[1]?.floatValue else { return nil }
                return Guess(name: name, probability: probability)
            }
        }
    }
}

/// What libtsmobile refuses, as an app shows errors.
private func words<R>(_ body: () throws -> R) throws -> R {
    do {
        return try body()
    } catch let e as TSMobileError {
        throw Refused(errorDescription: e.lastLine)
    }
}
