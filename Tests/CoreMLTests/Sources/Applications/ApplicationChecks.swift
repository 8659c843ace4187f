// swift-format-ignore-file
import CoreML

/// Runs the sources of this folder in both language modes. Each check returns error messages.
enum ApplicationChecks {
    static func compiled<Result>(_ path: String, _ body: (URL) async throws -> Result) async throws -> Result {
        let url = try await MLModel.compileModel(at: SampleCodeChecks.cases().appending(path: path))
        defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
        return try await body(url)
    }

    // MARK: language models

    static func languageModels() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        try await compiled("models/states/decoder.mlpackage") { url in
            let model = StatefulLanguageModel(model: try await MLModel.load(contentsOf: url))
            check(model.minContextLength == 1 && model.maxContextLength == 1, "the context is \(model.minContextLength)")
            let greedy = try await Generator.generate(config: GenerationConfig(), tokens: [1, 2], model: model)
            check(greedy == [1, 2, 3, 4, 5, 6, 7, 0, 1, 2], "greedily: \(greedy)")
            var config = GenerationConfig()
            (config.doSample, config.topK, config.temperature) = (true, 2, 0.5)
            var told: [[Int]] = []
            let first = try await Generator.generate(config: config, tokens: [1, 2], model: model, random: { 0 }) { told.append($0) }
            check(first == greedy && told.last == greedy && told.count == 8, "the likeliest of two: \(first)")
            let second = try await Generator.generate(config: config, tokens: [1, 2], model: model, random: { 0.999 })
            check(second.prefix(9) == [1, 2, 4, 6, 0, 2, 4, 6, 0], "the other of two: \(second)")
            config.eosTokenId = 5
            let ended = try await Generator.generate(config: config, tokens: [1, 2], model: model, random: { 0 })
            check(ended == [1, 2, 3, 4], "up to the end: \(ended)")
            let warped = try await Generator.generate(
                config: GenerationConfig(), tokens: [1, 2], model: model,
                processors: [TemperatureWarper(temperature: 2), TopKWarper(k: 3), TopPWarper(p: 0.9), MinPWarper(p: 0.1)])
            check(warped == greedy, "what is likeliest is not after processors: \(warped)")
        }
        let scores = MLTensor(shape: [1, 1, 4], scalars: [1, 4, 2, 3], scalarType: Float.self)
        let seen = MLTensor([1, 3], scalarType: Int32.self).expandingShape(at: 0)
        func numbers(_ processor: some LogitsProcessor) async -> [Float] {
            await processor(seen, scores).shapedArray(of: Float.self).scalars
        }
        let none = -Float.infinity
        check(await numbers(TopKWarper(k: 2)) == [none, 4, none, 3], "top-k")
        check(await numbers(RepetitionPenalty(penalty: 2)) == [1, 2, 2, 1.5], "repetition")
        check(await numbers(TopPWarper(p: 0.8)) == [none, 4, none, 3], "top-p")
        check(await numbers(MinPWarper(p: 0.2)) == [none, 4, none, 3], "min-p")
        let talk = await tensorsOfTheTalk()
        check(talk.count == 4 + 2 + 2 + 4 + 4 && Array(talk[4..<8]) == [6, 8, 8, 12], "the talk: \(talk)")
        check(Array(talk[8..<12]) == [100, 156, 156, 244] && Array(talk[12...]) == [7, 11, 15, 19], "the talk's matrices: \(talk)")
        check(Array(talk[0..<4]) == [0, 0, 0.5, 1.5], "the talk's mask: \(talk)")
        return wrong
    }

    // MARK: recognition

    static func recognition() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let logits = try MLMultiArray(shape: [1, 1, 5], dataType: .float16, initialValue: Float16(-1))
        logits.fillLastDimension(indexes: 1..<3, with: 2)
        logits.fill(indexes: [[0, 0, 4]], with: Float16(7))
        check(GreedySampler(temperature: 0).sample(logits: logits) == 4, "the greatest is not sampled")
        let sampled = await GreedySampler(temperature: 0).sampleWithTensor(logits: logits)
        check(sampled.token == 4 && abs(sampled.logprob + 0.0138) < 0.001, "the greatest is \(sampled)")
        let other = await GreedySampler(temperature: 0.01, topK: 2).sampleWithTensor(logits: logits)
        check(other.token == 4 && abs(other.logprob) < 0.001, "the greatest when cold is \(other)")
        check(MLMultiArray.toIntArray(.from([3, 1], dims: 3)) == [3, 1] && MLMultiArray.from([3], dims: 2).shape == [1, 1], "integers")
        let tensor = MLTensor([5, 6, 7], scalarType: Int32.self)
        let sevens = try MLMultiArray([5, 6, 7] as [Int32])
        check(await tensor.asMLMultiArray() == sevens, "a tensor is another array")
        let now = await Task.detached { tensor.intsNow() }.value
        check(now == [5, 6, 7], "a tensor that is waited for is \(now)")
        try await compiled("models/customLayer.mlmodel") { url in
            do { _ = try MLModel(contentsOf: url) } catch { check(explain(error) == "custom", "a layer without code: \(error)") }
        }
        try await compiled("models/enumeratedArray.mlmodel") { url in
            let encoder = AudioEncoder()
            check(!encoder.modelState, "there is a model")
            try await encoder.loadModel(at: url, computeUnits: .cpuOnly)
            let input = try MLMultiArray(shape: [1, 5], dataType: .float32, initialValue: Float(2))
            let output = try await encoder.encode(input) as? MLMultiArray
            check(encoder.modelState && output?.shape == [1, 5], "the output is \(String(describing: output))")
            encoder.unloadModel()
            check(try await encoder.encode(input) == nil, "what is unloaded predicts")
            let constraint = try MLModel(contentsOf: url).modelDescription.inputDescriptionsByName["x"]?.multiArrayConstraint
            check(constraint?.shapeConstraint.enumeratedShapes.map { $0.map(\.intValue) } == [[1, 2], [1, 5]], "the shapes")
        }
        return wrong
    }

    // MARK: plans

    static func plans() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        check(describeDevices().contains("the processor"), "there is no processor")
        for path in ["digits/Digits.mlmodel", "models/states/loop.mlpackage", "models/picturePipeline.mlmodel", "interface/line.mlmodel"] {
            try await compiled(path) { url in
                let tool = PlanTool(url: url, units: .cpuOnly)
                do { _ = try await tool.report() } catch { check(explain(error) != "io", "there is a plan already") }
                try await tool.load()
                let report = try await tool.report()
                check(path.hasPrefix("interface") || !report.rows.isEmpty, "\(path) has no parts")
                check(report.rows.allSatisfy { $0.device == nil || $0.supported.contains($0.device!) }, "\(path): a device that is not supported")
                check(report.countByDevice.keys.allSatisfy { $0 == "CPU" }, "\(path): on \(report.countByDevice)")
                let costs = report.rows.compactMap(\.cost)
                check(costs.allSatisfy { (0...1).contains($0) } && costs.reduce(0, +) < 1.001, "\(path) costs \(costs)")
                let flow = DataFlow(try await MLModelStructure.load(contentsOf: url))
                if path.hasSuffix("loop.mlpackage") {
                    check(flow.producers["x"] == "input" && flow.consumers["x"] != nil, "the input is not read: \(flow.consumers)")
                }
            }
        }
        return wrong
    }

    // MARK: mocks

    static func mocks() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let mock = CountingModel()
        check(try await Regressor(model: mock)([1, 2]) == 2.5 && mock.calls == 1, "the mock was asked \(mock.calls) times")
        let row = try MLDictionaryFeatureProvider(dictionary: ["x": 1])
        check(try mock.predictions(fromBatch: MLArrayBatchProvider(array: [row, row])).count == 2 && mock.calls == 3, "a batch")
        mock.answer = nil
        do { _ = try await Regressor(model: mock)([1]) } catch { check(error.localizedDescription == "no answer", "\(error)") }
        check(try mock.parameterValue(for: .learningRate) as? Double == 0.5, "a parameter")
        check(mock.configuration.modelDisplayName == "counting" && mock.modelDescription.classLabels?.count == 2, "the description")
        let feature = mock.modelDescription.inputDescriptionsByName["x"]
        let array = MLFeatureValue(multiArray: try MLMultiArray([1]))
        check(feature?.name == "x" && feature?.isAllowedValue(array) == true, "a feature")
        let stateful: StatefulPredicting = StatefulMock()
        let state = stateful.makeState()
        for _ in 0..<2 { _ = try stateful.prediction(from: row, using: state) }
        check((stateful as? StatefulMock)?.seen.first === state, "another state")
        let batch = DoublingBatch(array: [row])
        check(batch.count == 2 && batch.array.count == 2 && batch.rows.count == 2, "a batch of \(batch.count)")
        let lazy = LazyBatch(count: 3) { try! MLDictionaryFeatureProvider(dictionary: ["y": Double($0)]) }
        check(columns(of: lazy, "y") == [0, 1, 2] && BatchSequence(batch: lazy).map { $0.featureNames.count } == [1, 1, 1], "rows")
        let recording = try RecordingProvider(dictionary: ["a": 1.5])
        check(recording["a"]?.doubleValue == 1.5 && recording.asked == ["a"] && recording.featureNames == ["a", "more"], "a provider")
        check(FixedValue(double: 1).doubleValue == 42 && FixedValue(string: "").type == .double, "a value")
        check(CPUConfiguration().computeUnits == .cpuOnly && QuietOptions().outputBackings.isEmpty, "a configuration")
        try await compiled("interface/line.mlmodel") { url in
            let model = try MLModel(contentsOf: url, configuration: CPUConfiguration())
            check(model.configuration.computeUnits == .cpuOnly, "what a configuration says is not asked for")
        }
        return wrong
    }

    // MARK: learning

    static func learning() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        try await compiled("digits/Digits.mlmodel") { url in
            let labels = try MLModel(contentsOf: url).modelDescription.classLabels as? [String] ?? []
            let batch = LazyBatch(count: 20) { place in
                let image = MLShapedArray<Double>(scalars: (0..<64).map { Double(($0 + place % 2 * 8) % 16) / 16 }, shape: [1, 8, 8])
                return try! MLDictionaryFeatureProvider(dictionary: ["image": image, "label": labels[place % 2]])
            }
            let trainer = Trainer(url: url)
            let result: Result<URL, Error> = await withCheckedContinuation { done in
                do {
                    let task = try trainer.train(batch, epochs: 3, rate: 0.001) { result in
                        let target = url.deletingLastPathComponent().appending(path: "Trained.mlmodelc")
                        done.resume(returning: Result { try result.get().write(to: target); return target })
                    }
                    check(task.state != .suspended && !task.taskIdentifier.isEmpty, "the task is \(task.state)")
                } catch { done.resume(returning: .failure(error)) }
            }
            let trained = try MLModel(contentsOf: result.get())
            check(trainer.began && trainer.history.map(\.epoch) == [0, 1, 2], "the epochs are \(trainer.history)")
            check(trainer.history.first!.loss > trainer.history.last!.loss, "nothing was learnt: \(trainer.history)")
            let output = try await trained.prediction(from: batch.features(at: 1))
            check(output.featureValue(for: "label").map { labels.contains($0.stringValue) } == true, "no label of the model")
            let image = batch.features(at: 0).featureValue(for: "image")!.shapedArrayValue(of: Double.self)!
            let all = try await predictAll(trained, [image, image], input: "image", output: "label")
            check(all == [labels[0], labels[0]], "in a group: \(all)")
            let view = await LabelViewModel(model: trained)
            await view.classify(image, named: "image")
            let isBusy = await view.isBusy
            check(await view.label == labels[0] && !isBusy, "the view says \(await view.label)")
            await view.classify(image, named: "picture")
            check(await view.label == "featureType", "the view says \(await view.label) of a feature that there is not")
            do { _ = try Trainer(url: url).train(MLArrayBatchProvider(array: []), epochs: 1, rate: 0.1) { _ in } } catch {
                check(explain(error) == "update", "no examples: \(error)")
            }
            do { _ = try Trainer(url: url).train(batch, epochs: -1, rate: 0.1) { _ in } } catch {
                check(explain(error) == "parameters" && code(of: error) == 7, "no epochs: \(error)")
            }
        }
        return wrong
    }

    // MARK: storing

    static func keeping() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = ModelStore(folder: folder)
        let source = SampleCodeChecks.cases().appending(path: "digits/Digits.mlmodel")
        let first = try await store.install(source)
        let second = try await store.install(source)
        check(first.path == second.path, "the model lies at \(second)")
        async let one = store.model(named: "Digits"), other = store.model(named: "Digits")
        let both = try await (one, other)
        check(both.0 === both.1, "the model was loaded twice")
        do { _ = try await store.model(named: "None") } catch { check(explain(error) == "io", "no model: \(error)") }
        let later = try await loadLater(second)
        check(later.modelDescription == both.0.modelDescription, "another description")
        let asset = try await assets(Data(contentsOf: source), nil)
        check(asset.modelDescription.predictedFeatureName == "label", "an asset's description")

        let configuration = configured { $0.parameters = [.epochs: 3, MLParameterKey.weights.scoped(to: "fc"): try! MLMultiArray([Float(1), 2])] }
        configuration.functionName = "main"
        let input = later.modelDescription.inputDescriptionsByName["image"]!
        let snapshot = Snapshot(value: MLFeatureValue(string: "a"), configuration: configuration, input: input)
        let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: Snapshot.self, from: archived(snapshot))
        check(back?.value == snapshot.value && back?.input == input && back?.constraint == input.multiArrayConstraint, "archived: \(String(describing: back))")
        let read = back?.configuration
        check(read?.optimizationHints == configuration.optimizationHints && read?.functionName == "main", "the configuration")
        check(read?.parameters?[.epochs] as? Int == 3, "the epochs are \(String(describing: read?.parameters?[.epochs]))")
        check(read?.parameters?[.weights.scoped(to: "fc")] as? MLMultiArray == configuration.parameters?[.weights.scoped(to: "fc")] as? MLMultiArray, "the weights")
        return wrong
    }

    // MARK: arrays

    static func arrays() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let found = slices()
        let expected: [Float] = [0, 1, 20, 21, 22, 23, 23, 6, 12, 7, 11, 7, 5, 4, 7, 44, 8, 7, 6, 1, 1]
        check(found == expected, "slices: \(found)")
        try await compiled("models/rangePicture.mlmodel") { url in
            let model = try MLModel(contentsOf: url)
            let picture = SampleCodeChecks.cases().appending(path: "pictures/formats/lossless.webp")
            let value = try pictureValue(at: picture, for: model, named: "picture")
            let output = try await model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["picture": value]))
            let inverted = output.featureValue(for: "inverted")?.imageBufferValue
            check(inverted != nil && inverted?.width == value.imageBufferValue?.width, "the picture is \(String(describing: inverted))")
            let constraint = model.modelDescription.inputDescriptionsByName["picture"]!.imageConstraint!
            let left = try pictureValue(at: picture, orientation: .right, constraint: constraint)
            check(left.map { constraint.sizeConstraint.pixelsWideRange.contains($0.width) } == true, "the part is \(String(describing: left))")
        }
        return wrong
    }

    // MARK: tensors

    static func tensors() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        let found = await examplesOfTensors()
        let expected: [[Float]] = [
            [10, 99, 20, 99, 40, 50], [10, 99, 20, 99, 40, 50], [10, 99, 20, 98, 40, 50], [10, 30, 20, 70, 70, 70],
            [10, 300, 6000, 60, 2400, 120_000], [10, 30, 20, 10, 30, 20, 60, 40, 50, 60, 40, 50], [1, 2, 1, 2], [50, 40, 60, 20, 30, 10],
            [10, 30, 20, 60, 40, 50], [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1], [1, 5, 3], [20, 30, 50, 40],
        ]
        for (place, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 { wrong.append("example \(place): \(pair.0)") }
        check(found.count == expected.count, "\(found.count) examples")
        let shapes = madeTensors()
        check(shapes == [[3], [2, 2], [2, 2], [3], [2], [2], [], [], [4], [2, 3], [5], [3], [2], [11], [2]], "tensors are made of shapes \(shapes)")
        let parts = partsOfTensors(MLTensor(randomNormal: [1, 3, 28, 28], scalarType: Float.self))
        check(parts == [[1, 3, 28], [1, 1, 3, 28, 28], [3, 28, 28], [1, 3, 28], [1, 3, 28, 2], [1, 3, 28, 3], [1, 3, 28, 27], [1, 3, 28, 3],
            [1, 3, 28, 2], [3, 3, 28], [28, 28], [1, 1, 28, 28], [1, 3, 28, 28]], "the parts have shapes \(parts)")
        check(modesOfTensors() == ["3 3 one", "constant(1.0) bilinear(alignCorners: false)", "cpuOnly", "true"], "modes: \(modesOfTensors())")
        let digits = await MLTensor(randomUniform: [200], in: 0...9, seed: 1, scalarType: Int32.self).shapedArray(of: Int32.self).scalars
        check(Set(digits) == Set(0...9), "integers of a range are \(Set(digits).sorted())")
        let x = MLTensor(rangeFrom: 0, to: 16, by: 1).reshaped(to: [1, 2, 2, 4]) / 16
        let attended = await Layers.attention(Layers.rope(x), x, x, mask: (Layers.causalMask(2) - 1) * 1e9).shapedArray(of: Float.self)
        check(attended.shape == [1, 2, 2, 4] && zip(attended.scalars, [0, 1, 2, 3]).allSatisfy { abs($0 - $1 / 16) < 1e-5 }, "attention: \(attended)")
        let pooled = await Layers.maxPool(x).shapedArray(of: Float.self).scalars
        check(pooled == [5, 7, 13, 15].map { $0 / 16 }, "pooled: \(pooled)")
        let norm = await Layers.rmsNorm(MLTensor([3.0, 4.0])).sum().shapedArray(of: Float.self).scalar ?? 0
        check(abs(norm - 1.9799) < 1e-3, "the norm gives \(norm)")
        check(await abs(Layers.gelu(MLTensor(Float(1))).shapedArray(of: Float.self).scalar! - 0.8412) < 1e-3, "gelu")
        let scores = MLTensor(shape: [2, 4], scalars: [1, 2, 3, 4, 9, 1, 2, 8], scalarType: Float.self)
        let kept = await keptTokens(scores, minP: 0.99, least: 2).cast(to: Int32.self).shapedArray(of: Int32.self).scalars
        check(kept == [0, 0, 1, 1, 1, 0, 0, 1], "kept are \(kept)")
        let tokens = await multinomial(scores, random: MLTensor(shape: [2, 1], scalars: [0.999, 0.1], scalarType: Float.self)).shapedArray(of: Int32.self)
        check(tokens.shape == [2, 1] && tokens.scalars == [3, 0], "the tokens are \(tokens)")
        let best = await nearest([0, 1], MLTensor([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]), k: 2)
        check(best.map(\.place) == [2, 1] && best.map(\.score) == [1, 0.5], "the nearest are \(best)")
        return wrong
    }

    // MARK: older classes

    static func olderClasses() async throws -> [String] {
        var wrong: [String] = []
        func check(_ holds: Bool, _ what: String) { if !holds { wrong.append(what) } }
        try await compiled("digits/Digits.mlmodel") { url in
            let loaded = Waiting<Result<OlderDigits, Error>?>(nil)
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                OlderDigits.load(contentsOf: url) { result in
                    loaded.value = result
                    done.resume()
                }
            }
            let digits = try loaded.value!.get()
            let input = DigitsInput(image: MLShapedArray<Double>(repeating: 0.5, shape: [1, 8, 8]))
            let output = try digits.prediction(input: input)
            check(output.probabilities.count == 10 && output.probabilities[output.label] == output.probabilities.values.max(), "it is a \(output.label)")
            check(try digits.predictions(inputs: [input, input]).map(\.label) == [output.label, output.label], "a batch is other than one")
            let managed = ManagedModel(modelAt: url, configuration: MLModelConfiguration())
            let names = try managed.perform { try $0.prediction(from: input).featureNames }
            managed.unloadResources()
            check(try names == managed.perform { Set($0.modelDescription.outputDescriptionsByName.keys) }, "the outputs are \(names)")
            check(try secondsOf { _ = try digits.prediction(input: input) } >= 0, "time runs backwards")
        }
        let missing = await withCheckedContinuation { done in
            OlderDigits.load(contentsOf: URL(fileURLWithPath: "/none.mlmodelc")) { result in
                if case .failure(let error) = result { done.resume(returning: explain(error)) } else { done.resume(returning: "loaded") }
            }
        }
        check(missing == "io", "no model is \(missing)")
        check(hasStates(), "there are no states")
        return wrong
    }

    // MARK: sources that report errors themselves

    static func idioms() async throws -> [String] {
        var wrong = try await ErrorPatterns.run() + HelperLibrary.run() + Planes.run() + ProviderKinds.run() + Collections.run()
        wrong += try await StateSnapshots.run() + SeveralFunctions.run() + ShapedArrays.run() + TensorNetworks.run() + TypedModels.run()
        return wrong
    }

    static func run() async throws -> [String] {
        var wrong: [String] = []
        for part in [languageModels, recognition, plans, mocks, learning, keeping, arrays, tensors, olderClasses, idioms] { wrong += try await part() }
        return wrong
    }
}
