import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Without inputs, the plan is for the declared shape, also where sizes may vary.
@Suite struct DeclaredShapePlanTests {
  typealias F = FeatureModels

  /// A convolution of three channels. The input may have one to three channels, in either array mapping.
  private static func network(isExact: Bool) -> [UInt8] {
    let shape: [Int64] = isExact ? [1, 3, 8, 8] : [3, 8, 8]
    let ranges = (isExact ? [(1, 1)] : []) + [(1, 3), (1, -1), (1, -1)] as [(Int64, Int64)]
    return F.model(
      500, [.flexible("x", shape, ranges)], [.flexible("y", shape, ranges)]
    ) { message in
      message.append(
        1,
        bytes: Net.layer(100, ["x"], ["y"]) { convolution in
          convolution.append(1, uint: 3)
          convolution.append(2, uint: 3)
          convolution.append(10, uint: 1)
          for field in [20, 30, 40] { convolution.append(field, packed: [1, 1] as [Int64]) }
          convolution.append(50) { _ in }
          convolution.append(90) { $0.append(1, packed: (0..<9).map { Float($0) }) }
        })
      if isExact { message.append(5, int: 1) }
    }
  }

  private static func configuration() -> MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return configuration
  }

  @Test(arguments: [false, true]) func anInspectionAndAModelPlanForIt(_ isExact: Bool) throws {
    let model = Self.network(isExact: isExact)
    var plan: PlanReport?
    let loaded = try F.load(model) {
      plan = try ModelInspection(modelAt: $0, configuration: Self.configuration()).plan()
    }
    for report in [try #require(plan), try loaded.plan(for: nil)] {
      #expect(report.steps.contains { $0.shape.contains("3, 8, 8]") }, "\(report.steps.map(\.shape))")
    }
  }

  /// Preparing a model for fast predictions makes this plan, too.
  @Test func preparingGoesByIt() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID().uuidString).mlmodel")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Self.network(isExact: false)).write(to: folder)
    let compiled = try MLModel.compileModel(at: folder)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let configuration = Self.configuration()
    configuration.optimizationHints.specializationStrategy = .fastPrediction
    let model = try MLModel(contentsOf: compiled, configuration: configuration)
    let x = try CustomLayers.array(Array(repeating: 1, count: 192), [3, 8, 8])
    #expect(try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x])).numbers("y")?.first == 3)
  }
}
