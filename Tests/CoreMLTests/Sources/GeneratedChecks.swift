// swift-format-ignore-file
import CoreML

/// Checks the classes in this folder that `runtime generate` wrote. Each check returns error messages. Compiled in both
/// language modes.
enum GeneratedChecks {
    static func run() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let work = FileManager.default.temporaryDirectory.appending(path: "generated-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: work) }
        func compiled(_ path: String) throws -> URL {
            let url = try MLModel.compileModel(at: SampleCodeChecks.cases().deletingLastPathComponent().deletingLastPathComponent().appending(path: path))
            let place = work.appending(path: url.lastPathComponent)
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.moveItem(at: url, to: place)
            return place
        }

        // A classifier of images.
        let pictures = SampleCodeChecks.cases().deletingLastPathComponent().deletingLastPathComponent().appending(path: "examples/digits")
        let drawn = try await DrawnDigits.load(contentsOf: compiled("examples/digits/Digits.mlpackage"))
        let seven = try DrawnDigitsInput(imageAt: pictures.appending(path: "seven.png"))
        let output = try await drawn.prediction(input: seven)
        check(output.classLabel == "seven" && output.classLabelCase == .seven, "the picture of a seven is \(output.classLabel)")
        check((output.classLabel_probs["seven"] ?? 0) > 0.9, "the probabilities are \(output.classLabel_probs)")
        check(DrawnDigitsLabel.allCases.count == 10, "the labels are \(DrawnDigitsLabel.allCases)")
        try seven.setImage(with: pictures.appending(path: "two.png"))
        let later = try await drawn.prediction(input: seven)
        check(later.classLabel == "two", "the picture that was set is \(later.classLabel)")
        check(try drawn.prediction(image: seven.image).classLabel == "two", "the buffer alone is something else")
        let batch = try drawn.predictions(inputs: [seven, DrawnDigitsInput(imageAt: pictures.appending(path: "zero.png"))])
        check(batch.map { $0.classLabel } == ["two", "zero"], "the batch is \(batch.map { $0.classLabel })")
        check(DrawnDigitsOutput(classLabel: "one", classLabel_probs: ["one": 1]).classLabelCase == .one, "an output is not what it is made of")

        // Arrays, and an optional array.
        let sums = try Sums(contentsOf: compiled("Tests/Cases/interface/sums.mlmodel"), configuration: MLModelConfiguration())
        let a = MLShapedArray<Float>(scalars: [1, 2, 3, 4, 5, 6], shape: [2, 3])
        check(try sums.prediction(a: a).yShapedArray.scalars == [2.5, 4.5, 6.5, 8.5, 10.5, 12.5], "what is left out is no half")
        let b = MLShapedArray<Float>(repeating: 1, shape: [1, 3])
        let sum = try sums.prediction(a: a, b: b)
        check(sum.yShapedArray.scalars == [3, 5, 7, 9, 11, 13] && sum.zShapedArray.scalars == [21], "the sums are \(sum.yShapedArray.scalars)")
        check(try sums.prediction(a: MLMultiArray(a), b: nil).y.count == 6, "a multi-array is not taken")
        check(SumsInput(a: MLMultiArray(a)).featureValue(for: "b") == nil, "what is left out has a value")

        // A state.
        let running = try running_sum(contentsOf: compiled("Tests/Cases/interface/running-sum.mlmodel"))
        let state = running.makeState()
        let one = running_sumInput(x: MLShapedArray<Float>(repeating: 1, shape: [4]))
        _ = try await running.prediction(input: one, using: state)
        let second = try await running.prediction(input: one, using: state)
        check(second.yShapedArray.scalars == [2, 2, 2, 2], "the state is \(second.yShapedArray.scalars)")

        // Functions.
        let place = try compiled("Tests/Cases/generate/functions.mlpackage")
        let x = MLShapedArray<Float>(scalars: [1, 2, 3], shape: [3])
        check(try Functions(contentsOf: place).prediction(x: x).yShapedArray.scalars == [2, 4, 6], "the default function is another")
        check(try Functions_half_life(contentsOf: place).prediction(x: x).yShapedArray.scalars == [0.5, 1, 1.5], "the other function is another")
        let half = try await Functions_half_life.load(contentsOf: place)
        check(try half.prediction(x: x).yShapedArray.scalars == [0.5, 1, 1.5], "the function that is loaded later is another")

        // Every kind of value.
        let kinds = try Kinds(contentsOf: compiled("Tests/Cases/interface/kinds.mlmodel"))
        let colour = try CVPixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
        let gray = try CVPixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_OneComponent8)
        let gray16 = try CVPixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_OneComponent16Half)
        let given = KindsInput(
            integer: 3, number: 0.5, text: "t", words: ["a": 1], numbers: [-2: 4], texts: MLSequence(strings: ["x", "y"]),
            integers: MLSequence(int64s: [7]), colour: colour, gray: gray, gray16: gray16)
        let same = try await kinds.prediction(input: given)
        check(same.integer == 3 && same.number == 0.5 && same.text == "t", "numbers and texts came out as others")
        check(same.words == ["a": 1] && same.numbers == [-2: 4], "dictionaries came out as others")
        check(same.texts.stringValues == ["x", "y"] && same.integers.int64Values == [7], "sequences came out as others")
        check(same.colour.width == 3 && same.gray16.pixelFormatType == kCVPixelFormatType_OneComponent16Half, "images came out as others")

        // An updatable model.
        let updatable = try UpdatableDigits(contentsOf: compiled("Tests/Cases/digits/Digits.mlmodel"))
        let example = UpdatableDigitsTrainingInput(image: MLShapedArray<Double>(repeating: 0.5, shape: [1, 8, 8]), label: "zero")
        check(example.featureNames == ["image", "label"] && example.featureValue(for: "label")?.stringValue == "zero", "an example is another")
        check(updatable.model.modelDescription.isUpdatable, "the model does not learn")
        return wrong
    }
}
