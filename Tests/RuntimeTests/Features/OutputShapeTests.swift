import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Outputs have the declared shape if it differs from the program's shape only by axes of size one.
@Suite struct OutputShapeTests {
  typealias F = FeatureModels

  /// The layer of the network reduces the channels of (3, 4, 5), in either array mapping.
  private static func network(_ output: F.Feature, isExact: Bool, input: F.Feature = .floats("x", [3, 4, 5])) -> [UInt8]
  {
    F.model(500, [input], [output]) { message in
      message.append(
        1,
        bytes: Net.layer(280, ["x"], [output.name]) { reduce in
          reduce.append(1, uint: 8)
          reduce.append(3, uint: 2)
        })
      if isExact { message.append(5, int: 1) }
    }
  }

  private func shape(_ model: [UInt8], _ shape: [Int], _ name: String = "y") throws -> [Int]? {
    let values = (0..<shape.reduce(1, *)).map { Float($0) }
    let result = try F.predict(model, ["x": CustomLayers.array(values, shape)])
    return result.featureValue(for: name)?.multiArrayValue?.shape.map(\.intValue)
  }

  @Test(arguments: [[4, 5], [1, 4, 5], [1, 1, 1, 4, 5], [4, 1, 5]], [false, true])
  func aNetworkGivesTheDeclaredShape(_ declared: [Int64], _ isExact: Bool) throws {
    let model = Self.network(.floats("y", declared), isExact: isExact)
    #expect(try shape(model, [3, 4, 5]) == declared.map(Int.init))
  }

  /// Recurrent networks of iOS 11 and 12 accept sequences as (Seq, Batch, C) where (C) is declared.
  @Test func aSequenceOfVectorsHasThreeAxes() throws {
    func doubled(_ sizes: [Int], declared: [Int64] = [3], isExact: Bool = false) throws -> [Double]? {
      let model = F.model(500, [.floats("x", declared)], [.floats("y", declared)]) { message in
        message.append(1, bytes: Net.layer(130, ["x"], ["y"]) { $0.append(5) { $0.append(1, float: 2) } })
        if isExact { message.append(5, int: 1) }
      }
      let values = (0..<sizes.reduce(1, *)).map { Float($0) }
      return try F.predict(model, ["x": CustomLayers.array(values, sizes)]).numbers("y")
    }
    for sizes in [[3], [4, 2, 3], [4, 2, 3, 1, 1]] {
      #expect(try doubled(sizes) == (0..<sizes.reduce(1, *)).map { Double($0) * 2 })
    }
    for sizes in [[4, 3], [4, 2, 5]] { #expect(throws: (any Error).self) { try doubled(sizes) } }
    #expect(throws: (any Error).self) { try doubled([4, 2, 3], isExact: true) }
    #expect(throws: (any Error).self) { try doubled([4, 2, 3], declared: [3, 1, 1]) }
  }

  /// The declared shape has other sizes or is missing. Only as many leading axes of size one are removed as the
  /// declared rank requires.
  @Test func otherShapesStay() throws {
    #expect(try shape(Self.network(.floats("y", [5, 4]), isExact: true), [3, 4, 5]) == [4, 5])
    #expect(try shape(Self.network(.floats("y", [20]), isExact: true), [3, 4, 5]) == [1, 4, 5])
    #expect(try shape(Self.network(.floats("y", []), isExact: true), [3, 4, 5]) == [1, 4, 5])
    #expect(try shape(Self.network(.floats("y", []), isExact: false), [3, 4, 5]) == [1, 4, 5])
  }

  /// Where sizes vary, a size of one has no special meaning.
  @Test(arguments: [false, true]) func axesOfTheDeclaredRankKeepTheirPlaces(_ isExact: Bool) throws {
    let input = F.Feature.flexible("x", [3, 4, 1], [(3, 3), (1, 9), (1, 9)])
    let model = Self.network(.floats("y", [1, 4, 1]), isExact: isExact, input: input)
    for sizes in [[3, 4, 1], [3, 1, 4], [3, 2, 3]] {
      #expect(try shape(model, sizes) == [1, sizes[1], sizes[2]])
    }
  }

  @Test(arguments: [false, true]) func sizesThatVaryKeepTheDeclaredAxes(_ isExact: Bool) throws {
    let input = F.Feature.flexible("x", [3, 4, 5], [(3, 3), (1, -1), (1, 9)])
    let ranged = Self.network(.flexible("y", [4, 5], [(1, -1), (1, 9)]), isExact: isExact, input: input)
    let fixed = Self.network(.floats("y", [4, 5]), isExact: isExact, input: input)
    for sizes in [[3, 4, 5], [3, 7, 2], [3, 1, 2], [3, 1, 1]] {
      #expect(try shape(ranged, sizes) == Array(sizes.dropFirst()))
      #expect(try shape(fixed, sizes) == Array(sizes.dropFirst()))
    }
    let enumerated = F.Feature(name: "y") { type in
      type.append(5) { array in
        array.append(1, packed: [4, 5] as [Int64])
        array.append(2, int: 65568)
        array.append(21) { shapes in
          for sizes in [[4, 5], [7, 2]] as [[Int64]] { shapes.append(1) { $0.append(1, packed: sizes) } }
        }
      }
    }
    let listed = Self.network(enumerated, isExact: isExact, input: input)
    for sizes in [[3, 4, 5], [3, 7, 2]] { #expect(try shape(listed, sizes) == Array(sizes.dropFirst())) }
  }

  @Test func aClassicalModelGivesTheDeclaredShape() throws {
    for declared in [[3], [1, 3], [3, 1]] as [[Int64]] {
      let model = F.model(900, [.floats("x", [1, 3])], [.floats("y", declared)])
      #expect(try shape(model, [1, 3]) == declared.map(Int.init))
    }
  }

  @Test func aProgramGivesTheDeclaredShape() throws {
    for declared in [[4], [1, 4], [1, 4, 1]] as [[Int64]] {
      let found = try AppleFolder.make { folder -> [Int]? in
        try folder.put(
          AppleFolder.description(502) { writer in
            AppleFolder.array(1, "x", [1, 4], to: &writer)
            AppleFolder.array(10, "y", declared, to: &writer)
          }, "coremldata.bin")
        try folder.put(
          "program(1.3) { func main<ios18>(tensor<fp32, [1, 4]> x) { tensor<fp32, [1, 4]> y = relu(x = x); } -> (y); }",
          "model.mil")
        let array = try CustomLayers.array([1, 2, 3, 4], [1, 4])
        let backing = try MLMultiArray(shape: declared.map { NSNumber(value: $0) }, dataType: .float32)
        let options = MLPredictionOptions()
        options.outputBackings = ["y": backing]
        let input = try MLDictionaryFeatureProvider(dictionary: ["x": array])
        let model = try folder.model()
        _ = try model.prediction(from: input, options: options)
        #expect((0..<4).map { backing[$0].doubleValue } == [1, 2, 3, 4])
        return try model.prediction(from: input).featureValue(for: "y")?.multiArrayValue?.shape.map(\.intValue)
      }
      #expect(found == declared.map(Int.init))
    }
  }

  /// The first model's output is declared without the axis that its network leaves. The second model gets it as
  /// declared.
  @Test(arguments: [false, true]) func modelsOfAPipelineMeetInTheDeclaredShape(_ isExact: Bool) throws {
    let first = Self.network(.floats("m", [4, 5]), isExact: isExact)
    let second = F.model(500, [.floats("m", [4, 5])], [.floats("y", [5, 4])]) { message in
      message.append(1, bytes: Net.layer(985, ["m"], ["y"]) { $0.append(1, packed: [1, 0] as [Int64]) })
      message.append(5, int: 1)
    }
    let identity = F.model(900, [.floats("m", [4, 5])], [.floats("y", [4, 5])])
    let x = F.Feature.floats("x", [3, 4, 5])
    #expect(try shape(F.pipeline([x], [.floats("y", [5, 4])], [first, second]), [3, 4, 5]) == [5, 4])
    #expect(try shape(F.pipeline([x], [.floats("y", [4, 5])], [first, identity]), [3, 4, 5]) == [4, 5])
    #expect(try shape(F.pipeline([x], [.floats("m", [1, 4, 5])], [first]), [3, 4, 5], "m") == [1, 4, 5])
  }
}
