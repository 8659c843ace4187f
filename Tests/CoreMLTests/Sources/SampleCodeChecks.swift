// swift-format-ignore-file
import CoreML
import Dispatch

/// Runs the sources of this folder. Each check returns error messages. Compiled in both language modes.
enum SampleCodeChecks {
    static func cases(_ file: String = #filePath) -> URL {
        var folder = URL(filePath: file)
        while folder.lastPathComponent != "Tests" { folder = folder.deletingLastPathComponent() }
        return folder.appending(path: "Cases")
    }

    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }

        let work = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: work) }
        let manager = ModelDownloadManager(folder: work.appending(path: "models"))
        let downloaded = work.appending(path: "Digits.mlmodel")
        try FileManager.default.copyItem(at: cases().appending(path: "digits/Digits.mlmodel"), to: downloaded)
        let url = try manager.compileCoreMLFile(at: downloaded)
        try manager.deleteAllOutdatedModels(keeping: url.lastPathComponent)
        guard let digits = manager.latestModel() else { return ["the model that was compiled is not found"] }

        let image = MLShapedArray<Double>(repeating: 0.5, shape: [1, 8, 8])
        let output = try digits.prediction(image: image)
        check(output.probabilities[output.label] == output.probabilities.values.max(), "the label is not the likeliest one")
        let later = try await Digits.load(contentsOf: url).prediction(input: DigitsInput(image: image))
        check(later.label == output.label, "a model that was loaded later says something else")
        let rows = try digits.predictions(inputs: [DigitsInput(image: image), DigitsInput(image: image)])
        check(rows.map { $0.label } == [output.label, output.label], "a batch says something else")
        check(digits.model.modelDescription.classLabels as? [String] != nil, "labels are no strings")
        check((digits.model.modelDescription.metadata[.author] as? String) == "", "an author that is not there is no empty text")
        let text = "\(digits.model.modelDescription)"
        check(text.contains("image : MultiArray (Double, 1 × 8 × 8)"), "the description says \(text)")

        let mock = MockModel()
        let mocked = try Digits(model: mock).prediction(image: MLMultiArray(image))
        check(mocked.label == "mock" && mock.asked == ["image"], "the mock was not asked")
        let asked = try await Digits(model: mock).prediction(input: DigitsInput(image: image))
        check(asked.label == "mock" && mock.asked.count == 2, "the mock was not asked in the background")
        check(kind(of: failure { try mock.parameterValue(for: .epochs) }) == "other", "a mock has parameters")

        let counting = CountingConfiguration()
        _ = try MLModel(contentsOf: url, configuration: counting)
        check(counting.copies > 0, "the configuration was not copied")

        let owner = Owner()
        await withCheckedContinuation { done in owner.load(url) { done.resume() } }
        check(owner.model != nil, "the handler gave no model")
        let error = await withCheckedContinuation { done in
            do {
                let asset = try MLModelAsset(specification: Data(contentsOf: cases().appending(path: "digits/Digits.mlmodel")))
                owner.load(asset) { done.resume(returning: $0.map { "\($0)" }) }
            } catch { done.resume(returning: "\(error)") }
        }
        check(error == nil, "an asset was not loaded: \(error ?? "")")
        let provider = DigitsInput(image: image)
        owner.source = provider
        check(owner.isSame(provider), "a provider is not itself")

        check(kind(of: failure { try MLModel(contentsOf: work) }) == "io", "a folder is a model")
        check(kind(of: failure { try MLModel(contentsOf: cases().appending(path: "digits/Digits.mlmodel")) }) == "io",
              "a model that is not compiled has another code than io")
        check(kind(of: failure { try digits.model.prediction(from: MLDictionaryFeatureProvider(dictionary: [:])) }) == "featureType",
              "a feature that is missing has another code than featureType")
        check(failure { try digits.model.prediction(from: MLDictionaryFeatureProvider(dictionary: [:])) }.localizedDescription
            .contains("Failure verifying inputs"), "inputs that are wrong are not said to be")
        check(pixels(of: CGImage(try CVPixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_32BGRA))) == 6,
              "a picture has another size than its pixels")
        return wrong
    }

    static func failure<Result>(_ body: () throws -> Result) -> Error {
        do {
            _ = try body()
            return CocoaError(.featureUnsupported)
        } catch { return error }
    }
}
