// Classify MODEL.tsm PIXELS WIDTH HEIGHT: what the example for iOS makes of a picture (Classifier.swift, which test_swift.py
// puts beside this file), and how it refuses a file that is no model.
import Foundation

let arguments = CommandLine.arguments
let pixels = [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[2])))
let classifier = try Classifier(url: URL(fileURLWithPath: arguments[1]))
for guess in try classifier.classify(pixels: pixels, width: Int(arguments[3])!, height: Int(arguments[4])!) {
    print(guess.name, guess.probability)
}
do {
    _ = try Classifier(url: URL(fileURLWithPath: arguments[2]))
    print("a picture was opened as a model")
} catch {
    print("refused:", error.localizedDescription)
}
