// TestTSMobile MODEL.tsm           the tests
// TestTSMobile DIGITS.tsm IMAGE    a user's program: recognizes the digit in a file of 64 floats, prints its ten scores
// TestTSMobile A.tsm B.tsm C.tsm ...   what is said of damaged files, each text with a zero behind it
import Foundation
import TSMobile

setvbuf(stdout, nil, _IOLBF, 0)
let arguments = CommandLine.arguments
if arguments.count == 3 {
    let image = try Data(contentsOf: URL(fileURLWithPath: arguments[2]))
    let module = try Module(path: arguments[1])
    let scores = try module(Tensor(bytes: image, dtype: .float32, shape: [1, 1, 8, 8]))
    for score in try some(scores.tensorValue).array(of: Float.self) { print(score) }
} else if arguments.count > 3 {
    for path in arguments.dropFirst() {
        do {
            _ = try Program(path: path)
            print("no error", terminator: "\0")
        } catch let e as TSMobileError {
            print(e.message, terminator: "\0")
        }
    }
} else {
    let use = Use(path: arguments[1], module: try Module(path: arguments[1]))
    let refuse = Refuse(file: try [UInt8](Data(contentsOf: URL(fileURLWithPath: arguments[1]))), use: use)
    run([
        ("forward", use.testForward), ("threads", use.testThreads), ("profile", use.testProfile), ("odd values", refuse.testOddValues), ("plain values", use.testPlainValues), ("containers", use.testContainers),
        ("every type", use.testEveryType), ("memory is not copied", use.testMemoryIsNotCopied),
        ("arguments that are kept", use.testArgumentsThatTheProgramKeeps), ("views", use.testViews), ("state", use.testState),
        ("what the file says", use.testWhatTheFileSays), ("printing", use.testPrinting),
        ("damaged files", refuse.testDamagedFiles), ("damage without checksums", refuse.testDamagedFilesWithoutChecksums),
        ("wrong arguments", refuse.testWrongArguments), ("no tensors", refuse.testTensorsThatAreNone),
        ("a program that raises", refuse.testAProgramThatRaises), ("limits", refuse.testLimits), ("states", refuse.testStates),
        ("two threads", refuse.testTwoThreadsOnOneModule), ("side by side", refuse.testModulesSideBySide),
    ])
}
