// swift-format-ignore-file
import CoreML
import CoreVideo
import Vision

/// Runs the sources of this folder. Each check returns error messages. Compiled in both language modes.
enum VisionSampleChecks {
    static func folder(_ file: String = #filePath) -> URL {
        var folder = URL(filePath: file)
        while folder.lastPathComponent != "Tests" { folder = folder.deletingLastPathComponent() }
        return folder.deletingLastPathComponent()
    }

    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        func load(_ path: String) async throws -> MLModel {
            let compiled = try await MLModel.compileModel(at: folder().appending(path: path))
            defer { try? FileManager.default.removeItem(at: compiled) }
            return try await MLModel.load(contentsOf: compiled)
        }

        let digits = try await load("examples/digits/Digits.mlpackage")
        let seven = folder().appending(path: "examples/digits/seven.png")
        guard let (image, orientation) = CGImage.create(contentsOf: seven) else { return ["the picture is not read"] }
        check(orientation == .up, "the picture lies \(orientation)")
        let classifier = PictureClassifier(model: digits)
        classifier.updateClassifications(for: image, orientation: orientation)
        check(classifier.answer == ["  (0.99) seven", "  (0.00) three"], "the classifier says \(classifier.answer)")
        check(classifier.failure == nil, classifier.failure ?? "")

        func predicted(_ provider: MLFeatureProvider) throws -> String {
            try digits.prediction(from: provider).featureValue(for: "classLabel")?.stringValue ?? "nothing"
        }
        let label = try predicted(features(image, for: digits))
        check(label == "seven", "without Vision the label is \(label)")
        guard let gray = image.grayBuffer(width: 32, height: 32), let again = pngImage(at: seven) else { return wrong + ["there is no buffer"] }
        check(again.width == 32 && again.bitsPerComponent == 8, "the provider's picture is another")
        let direct = try predicted(MLDictionaryFeatureProvider(dictionary: ["image": MLFeatureValue(pixelBuffer: gray)]))
        check(direct == "seven", "the buffer shows something else")

        let negative = try await load("Tests/Cases/models/enumeratedPicture.mlmodel")
        var frame: CVPixelBuffer?
        check(CVPixelBufferCreate(kCFAllocatorDefault, 12, 16, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, &frame) == kCVReturnSuccess, "there is no frame")
        guard let frame else { return wrong }
        check(meanLuma(frame) == 0, "an image that was just made is not dark")
        let styled = try stylize(frame, with: negative)
        check(styled.map { CVPixelBufferGetWidth($0) } == 6, "the styled picture has another width")

        let means = try await load("Tests/Cases/models/pictureProgramPipeline.mlmodel")
        check(try heatmap(of: seven, with: means)?.count == 3, "there is no heatmap")

        let detector = ObjectDetector(bufferSize: CGSize(width: 12, height: 16))
        check(detector.setupVision(model: try await load("Tests/Cases/models/detector.mlmodel"), thresholds: nil) == nil, "there is no detector")
        detector.captureOutput(frame)
        let first = detector.found
        check(first.map { $0.label } == ["dog", "cat"], "the detector finds \(first.map { $0.label })")
        detector.found = []
        try detector.captureInSequence(frame)
        check(detector.found.map { $0.bounds } == first.map { $0.bounds }, "in a sequence the detector finds something else")

        let gray32 = image.pixelBuffer(width: 32, height: 32, pixelFormatType: kCVPixelFormatType_OneComponent8, colorSpace: CGColorSpaceCreateDeviceGray(), alphaInfo: .none)
        guard let gray32, let small = image.resized(to: CGSize(width: 8, height: 8)), let flipped = image.flipped() else { return wrong + ["nothing is drawn"] }
        let drawn = try predicted(MLDictionaryFeatureProvider(dictionary: ["image": MLFeatureValue(pixelBuffer: gray32)]))
        check(drawn == "seven", "what is drawn is a \(drawn)")
        let (bytes, turned) = (image.rgba(), flipped.rgba())
        let rows = (0..<32).map { Array(bytes[$0 * 128..<($0 + 1) * 128]) }
        check(turned == rows.reversed().flatMap { $0 } && small.width == 8 && small.rgba().count == 256, "the picture is not turned")
        guard let pool = bufferPool(width: 12, height: 16), let styled, let wide = bufferPool(width: 6, height: 4) else { return wrong + ["there is no pool"] }
        check(copied(styled, from: pool) == nil || CVPixelBufferGetWidth(styled) == 12, "buffers of other sizes are copied")
        check(copied(styled, from: wide).map { CVPixelBufferGetDataSize($0) } == CVPixelBufferGetDataSize(styled), "the buffer is \(CVPixelBufferGetWidth(styled)) by \(CVPixelBufferGetHeight(styled))")
        check(onScreen(CGRect(x: 0.25, y: 0, width: 0.5, height: 0.25), size: CGSize(width: 100, height: 50)) == CGRect(x: 25, y: 37.5, width: 50, height: 12.5), "a box is elsewhere")
        let request = try newestRevision(digits)
        try VNImageRequestHandler(cgImage: image).perform([request])
        check(sure(request.results as? [VNClassificationObservation] ?? []).map { $0.identifier } == ["seven"], "nothing is sure")
        request.revision = 7
        do { try VNImageRequestHandler(cgImage: image).perform([request]); check(false, "there is a revision 7") } catch {
            check((error as NSError).code == VNErrorCode.unsupportedRevision.rawValue, "no revision: \(error)")
        }
        return wrong
    }
}
