@testable import CoreMLServing
import CoreMLServingInterface
import TestModels
import Testing

@Suite struct ArrayBindingTests {
  private typealias M = BindingModels

  @Test func arraysKeepTypeAndShape() throws {
    let model = try M.adder()
    let metadata = model.binding.metadata(name: "m", versions: ["1"])
    #expect(metadata.platform == "coreml" && !metadata.isStateful)
    #expect(metadata.inputs.map(\.type) == [.float32] && metadata.inputs.map(\.shape) == [[2]])
    let outputs = try model.predict([M.tensor("x", .float32, [2], [1, -3] as [Float])])
    #expect(outputs.map(\.name) == ["y"] && outputs[0].type == .float32 && outputs[0].shape == [2])
    #expect(M.values(outputs.first, as: Float.self) == [2, -2])
  }

  @Test func fixedOutputsAreWrittenIntoTheAnswer() throws {
    let description = try M.adder()
    let trial = try ModelTrial(description.model, description.binding)
    #expect(trial.fixedShapes == ["y": [2]])
    #expect((trial.runSeconds ?? 0) > 0 && [1, 2, 4, 8].contains(trial.usefulBatch))
  }

  @Test func otherElementTypesAreConverted() throws {
    let model = try M.adder()
    func plusOne(_ tensor: ServingTensor) throws -> [Float]? {
      M.values(try model.predict([tensor]).first, as: Float.self)
    }
    let integers = try plusOne(M.tensor("x", .int32, [2], [1, 2] as [Int32]))
    #expect(integers == [2, 3])
    let doubles = try plusOne(M.tensor("x", .float64, [2], [0.5, 1]))
    #expect(doubles == [1.5, 2])
    let booleans = try plusOne(M.tensor("x", .bool, [2], [0, 1] as [UInt8]))
    #expect(booleans == [1, 2])
  }

  @Test func batchesKeepTheirRows() throws {
    let model = try M.adder()
    let batch = try (0..<5).map { row in
      PreparedRequest(InferenceRequest(model: "m", inputs: [try M.tensor("x", .float32, [2], [Float(row), 0])]))
    }
    let outcome = try model.run(batch)
    let first = try outcome.rows.map { M.values(try $0.get().first, as: Float.self)?[0] }
    #expect(first == [1, 2, 3, 4, 5])
  }

  @Test func wrongRequestsNameTheProblem() throws {
    let model = try M.adder()
    func refusal(_ inputs: [ServingTensor], _ outputs: [RequestedOutput] = []) -> String? {
      do { _ = try model.predict(inputs, outputs) } catch let error as ServingError {
        #expect(error.code == .invalidArgument)
        return error.message
      } catch { Issue.record(error) }
      return nil
    }
    let good = try M.tensor("x", .float32, [2], [1, 2] as [Float])
    #expect(refusal([good]) == nil)
    #expect(refusal([]) == "The input 'x' is missing.")
    #expect(refusal([good, good]) == "The input 'x' is given twice.")
    #expect(
      refusal([try M.tensor("z", .float32, [2], [1, 2] as [Float])]) == "The model 'm' has no input 'z'; it has 'x'.")
    #expect(refusal([good], [RequestedOutput(name: "q")]) == "The model 'm' has no output 'q'; it has 'y'.")
    #expect(refusal([good], [RequestedOutput(name: "y", classification: -1)]) != nil)
    #expect(refusal([M.bytes("x", [[1]])]) == "The input 'x' expects the type FP32, found BYTES.")
    #expect(refusal([try M.tensor("x", .float32, [3], [1, 2, 3] as [Float])])?.contains("(2)") ?? false)
    let short = ServingTensor(
      name: "x", type: .float32, shape: [2], content: .elements(try TensorMemory(byteCount: 4)))
    #expect(refusal([short]) == "The input 'x' of the type FP32 and the shape [2] has 4 bytes of data.")
    let huge = ServingTensor(
      name: "x", type: .float32, shape: [1 << 62, 16], content: .elements(try TensorMemory(byteCount: 64)))
    #expect(refusal([huge])?.contains("no valid shape") ?? false)
  }

  @Test func classification() throws {
    let model = try M.bound(
      FeatureModels.classifier(.array("x", [2]), [[1, 0], [0, 1], [2, 2]], ["cat", "dog", "owl"]))
    let probabilities = try #require(model.binding.output(named: "p")?.metadata)
    #expect(probabilities.type == .float64 && probabilities.shape == [1, 3])
    #expect(probabilities.labels == ["cat", "dog", "owl"])
    let input = try M.tensor("x", .float64, [2], [1.0, 2.0])
    let outputs = try model.predict([input])
    #expect(M.strings(outputs.first { $0.name == "label" }) == ["owl"])
    let values = try #require(M.values(outputs.first { $0.name == "p" }, as: Double.self))
    #expect(values.count == 3 && values[2] > values[1] && values[1] > values[0])
    let top = try model.predict([input], [RequestedOutput(name: "p", classification: 2)])
    #expect(top.count == 1 && top[0].type == .bytes && top[0].shape == [1, 2])
    let strings = try #require(M.strings(top.first))
    #expect(strings[0].hasSuffix(":2:owl") && strings[1].hasSuffix(":1:dog"))
    #expect(strings[0].split(separator: ":")[0].split(separator: ".")[1].count == 6)
  }

  /// Random tensors for every input: each is answered or refused, and nothing traps.
  @Test func hostileTensorsAreRefused() throws {
    let models = [try M.adder(), try M.kinds()]
    var random = SeededRandom(11)
    var answered = 0
    for _ in 0..<3_000 {
      let model = models.randomElement(using: &random) ?? models[0]
      let inputs = try model.binding.inputs.map { input -> ServingTensor in
        let type = Bool.random(using: &random) ? input.metadata.type : TensorType.allCases.randomElement(using: &random)
        var shape = input.metadata.shape
        switch Int.random(in: 0..<6, using: &random) {
        case 0: shape = []
        case 1: shape = [Int.random(in: -2...3, using: &random)]
        case 2: shape.append(Int.max)
        case 3: shape = shape.map { _ in 0 }
        default: shape = shape.map { $0 < 0 ? 2 : $0 }
        }
        let count = min(max(ServingTensor.elementCount(shape) ?? 3, 0), 100)
        if Int.random(in: 0..<3, using: &random) == 0 {
          let strings = (0..<count).map { _ in (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) } }
          return M.bytes(input.name, strings, shape: shape)
        }
        let size = (type?.byteCount ?? 1) * count + (Int.random(in: 0..<8, using: &random) == 0 ? 1 : 0)
        let memory = try TensorMemory(byteCount: size)
        for place in 0..<size { memory.bytes[place] = UInt8.random(in: 0...255, using: &random) }
        return ServingTensor(name: input.name, type: type ?? .float32, shape: shape, content: .elements(memory))
      }
      do {
        _ = try model.predict(inputs)
        answered += 1
      } catch let error as ServingError { #expect(error.code == .invalidArgument, "\(error)") }
    }
    #expect(answered > 20)
  }
}
