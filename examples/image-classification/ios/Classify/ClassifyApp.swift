#if os(iOS)
import PhotosUI
import SwiftUI

@main
struct ClassifyApp: App {
    var body: some Scene {
        WindowGroup {
            ContentView()
        }
    }
}

/// Shows a picture that the user chooses, and what the model sees in it.
struct ContentView: View {
    @State private var picture: UIImage?
    @State private var guesses: [Guess] = []
    @State private var message = ""
    @State private var isChoosing = false

    var body: some View {
        VStack(spacing: 16) {
            if let picture = picture {
                Image(uiImage: picture).resizable().scaledToFit()
            }
            ForEach(guesses) { guess in
                Text(String(format: "%.1f %%  %@", 100 * guess.probability, guess.name))
            }
            Text(message)
            Button("Choose a picture") { isChoosing = true }
        }
        .padding()
        .sheet(isPresented: $isChoosing) {
            PicturePicker { show($0) }
        }
    }

    private func show(_ chosen: UIImage) {
        picture = chosen
        guesses = []
        message = ""
        DispatchQueue.global().async {
            let result = Result { try Self.classify(chosen) }
            DispatchQueue.main.async {
                switch result {
                case .success(let found): guesses = found
                case .failure(let refused): message = refused.localizedDescription
                }
            }
        }
    }

    private static func classify(_ picture: UIImage) throws -> [Guess] {
        guard let url = Bundle.main.url(forResource: "classifier", withExtension: "tsm") else {
            throw Refused(errorDescription: "classifier.tsm is not in the app")
        }
        let (pixels, width, height) = try picture.bytes()
        return try Classifier(url: url).classify(pixels: pixels, width: width, height: height)
    }
}

extension UIImage {
    /// Red, green and blue of each pixel, row by row.
    func bytes() throws -> ([UInt8], Int, Int) {
        let width = Int(size.width * scale), height = Int(size.height * scale)
        guard let context = CGContext(data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 4 * width,
                                      space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.noneSkipLast.rawValue) else {
            throw Refused(errorDescription: "this is no picture")
        }
        context.translateBy(x: 0, y: CGFloat(height))
        context.scaleBy(x: 1, y: -1)
        UIGraphicsPushContext(context)
        draw(in: CGRect(x: 0, y: 0, width: width, height: height))
        UIGraphicsPopContext()
        guard let data = context.data else {
            throw Refused(errorDescription: "this is no picture")
        }
        let four = data.bindMemory(to: UInt8.self, capacity: 4 * width * height)
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        for i in 0..<width * height {
            for channel in 0..<3 {
                pixels[3 * i + channel] = four[4 * i + channel]
            }
        }
        return (pixels, width, height)
    }
}

/// Apple's picker of photos.
struct PicturePicker: UIViewControllerRepresentable {
    let chosen: (UIImage) -> Void

    func makeUIViewController(context: Context) -> PHPickerViewController {
        var configuration = PHPickerConfiguration()
        configuration.filter = .images
        let picker = PHPickerViewController(configuration: configuration)
        picker.delegate = context.coordinator
        return picker
    }

    func updateUIViewController(_ controller: PHPickerViewController, context: Context) {}

    func makeCoordinator() -> Coordinator { Coordinator(chosen: chosen) }

    final class Coordinator: NSObject, PHPickerViewControllerDelegate {
        let chosen: (UIImage) -> Void

        init(chosen: @escaping (UIImage) -> Void) {
            self.chosen = chosen
        }

        func picker(_ picker: PHPickerViewController, didFinishPicking results: [PHPickerResult]) {
            picker.dismiss(animated: true)
            results.first?.itemProvider.loadObject(ofClass: UIImage.self) { object, _ in
                guard let picture = object as? UIImage else { return }
                DispatchQueue.main.async { self.chosen(picture) }
            }
        }
    }
}
#endif
