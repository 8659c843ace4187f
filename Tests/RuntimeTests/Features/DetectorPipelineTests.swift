import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Non-maximum suppression as exporters write it. Its thresholds are inputs of the pipeline that the model's own
/// description leaves out.
@Suite struct DetectorPipelineTests {
  typealias F = FeatureModels

  /// Boxes 0 and 1 overlap by 0.8. Box 2 overlaps no other box.
  private static let boxes: [Float] = [0.5, 0.5, 0.2, 0.2, 0.5, 0.5, 0.2, 0.25, 0.1, 0.1, 0.1, 0.1]
  private static let confidences: [Float] = [0.9, 0.8, 0.3]

  static var arrays: [F.Feature] { [.floats("confidence", [3, 1]), .floats("coordinates", [3, 4])] }
  static var outputs: [F.Feature] { [flexible("found", 1), flexible("where", 4)] }
  static var thresholds: [F.Feature] { [.double("iou"), .double("least")] }

  /// The thresholds of the suppression itself are 0.5 for the overlap and 0.4 for the confidence.
  static func suppression(_ inputs: [F.Feature] = arrays) -> [UInt8] {
    F.model(610, inputs, outputs) { message in
      message.append(1) { $0.append(1, bool: true) }
      message.append(110, double: 0.5)
      message.append(111, double: 0.4)
      for (field, name) in [
        (200, "confidence"), (201, "coordinates"), (202, "iou"), (203, "least"), (210, "found"), (211, "where"),
      ] { message.append(field, string: name) }
    }
  }

  /// A model whose output `name` is twice `input`.
  static func doubled(_ input: String, _ name: String) -> [UInt8] {
    F.model(604, [.double(input)], [.double(name)]) { $0.append(2, packed: [2.0]) }
  }

  /// An array with any number of rows.
  static func flexible(_ name: String, _ width: Int64) -> F.Feature {
    F.Feature(name: name) { type in
      type.append(5) { array in
        array.append(2, int: 65568)
        array.append(31) { range in
          for (low, high) in [(Int64(0), Int64(-1)), (width, width)] {
            range.append(1) { size in
              size.append(1, int: low)
              size.append(2, int: high)
            }
          }
        }
      }
    }
  }

  /// The confidences of the remaining boxes.
  private func found(_ model: [UInt8], _ more: [String: Any] = [:]) throws -> [Double]? {
    let arrays: [String: Any] = [
      "confidence": try CustomLayers.array(Self.confidences, [3, 1]),
      "coordinates": try CustomLayers.array(Self.boxes, [3, 4]),
    ]
    let numbers = try F.predict(model, arrays.merging(more) { $1 }).numbers("found")
    return numbers?.map { ($0 * 10).rounded() / 10 }
  }

  /// Some exporters keep a batch axis of size one before the boxes.
  @Test func boxesMayHaveALeadingAxisOfOne() throws {
    let model = Self.suppression([.floats("confidence", [1, 3, 1]), .floats("coordinates", [1, 3, 4])])
    let result = try F.predict(
      model,
      [
        "confidence": CustomLayers.array(Self.confidences, [1, 3, 1]),
        "coordinates": CustomLayers.array(Self.boxes, [1, 3, 4]),
      ])
    #expect(result.numbers("found")?.map { ($0 * 10).rounded() } == [9])
    #expect(result.featureValue(for: "where")?.multiArrayValue?.shape == [1, 4])
  }

  @Test func aloneItTakesItsOwnThresholds() throws {
    #expect(try found(Self.suppression()) == [0.9])
    #expect(try found(Self.suppression(Self.arrays + Self.thresholds)) == [0.9])
    #expect(try found(Self.suppression(Self.arrays + Self.thresholds), ["iou": 0.9, "least": 0.2]) == [0.9, 0.8, 0.3])
  }

  /// The pipeline's double features may be required or optional, and the suppression may describe them or not.
  @Test(arguments: [false, true], [false, true])
  func aPipelineGivesTheThresholds(_ isOptional: Bool, _ isDescribed: Bool) throws {
    let doubles = Self.thresholds.map { isOptional ? $0.optional : $0 }
    let pipeline = F.pipeline(
      Self.arrays + doubles, Self.outputs, [Self.suppression(Self.arrays + (isDescribed ? doubles : []))])
    #expect(try found(pipeline, ["iou": 0.9, "least": 0.2]) == [0.9, 0.8, 0.3])
    #expect(try found(pipeline, ["iou": 0.9, "least": 0.85]) == [0.9])
    #expect(try found(pipeline, ["iou": 0.9]) == [0.9, 0.8])
    #expect(try found(pipeline, ["least": 0.2]) == [0.9, 0.3])
    #expect(try found(pipeline) == [0.9])
    let description = try F.load(pipeline).modelDescription.inputDescriptionsByName
    #expect(description["iou"]?.isOptional == isOptional)
    #expect(description["iou"]?.mayBeLeftOut == true && description["confidence"]?.mayBeLeftOut == false)
  }

  @Test func aPipelineWithoutThresholdsLeavesItsOwn() throws {
    #expect(try found(F.pipeline(Self.arrays, Self.outputs, [Self.suppression()])) == [0.9])
    let described = Self.suppression(Self.arrays + Self.thresholds)
    #expect(try found(F.pipeline(Self.arrays, Self.outputs, [described])) == [0.9])
  }

  @Test func anEarlierModelGivesAThreshold() throws {
    let pipeline = F.pipeline(
      Self.arrays + [.double("half")], Self.outputs, [Self.doubled("half", "least"), Self.suppression()])
    #expect(try found(pipeline, ["half": 0.1]) == [0.9, 0.3])
    // The scaler requires it.
    let error = #expect(throws: MLModelError.self) { try found(pipeline) }
    #expect(error?.message.contains("'half' is missing") == true)
    // The output of a later model is not available yet.
    let late = F.pipeline(
      Self.arrays + [.double("half")], Self.outputs, [Self.suppression(), Self.doubled("half", "least")])
    #expect(try found(late, ["half": 0.1]) == [0.9])
  }

  /// A feature that another model needs is required, though the suppression has a default value.
  @Test func aThresholdThatAnotherModelNeedsIsRequired() throws {
    let pipeline = F.pipeline(
      Self.arrays + Self.thresholds, Self.outputs + [.double("twice")],
      [Self.doubled("iou", "twice"), Self.suppression()])
    #expect(try found(pipeline, ["iou": 0.9, "least": 0.2]) == [0.9, 0.8, 0.3])
    #expect(try found(pipeline, ["iou": 0.9]) == [0.9, 0.8])
    let error = #expect(throws: MLModelError.self) { try found(pipeline, ["least": 0.2]) }
    #expect(error?.message.contains("'iou' is missing") == true)
  }

  @Test(arguments: [false, true]) func aPipelineWithinAPipelineTakesFeaturesOfTheOuterOne(_ isOptional: Bool) throws {
    let doubles = Self.thresholds.map { isOptional ? $0.optional : $0 }
    let inner = F.pipeline(Self.arrays, Self.outputs, [Self.suppression()])
    let pipeline = F.pipeline(
      Self.arrays + [.double("half"), doubles[0]], Self.outputs, [Self.doubled("half", "least"), inner])
    #expect(try found(pipeline, ["half": 0.1, "iou": 0.9]) == [0.9, 0.8, 0.3])
    #expect(try found(pipeline, ["half": 0.1]) == [0.9, 0.3])
    // In a classifier or regressor pipeline, the pipeline is nested in a field.
    let regressor = F.model(201, Self.arrays + doubles, Self.outputs) { message in
      message.append(1) { $0.append(1, bytes: inner) }
    }
    #expect(try found(regressor, ["iou": 0.9, "least": 0.2]) == [0.9, 0.8, 0.3])
    #expect(try found(regressor) == [0.9])
  }

  /// The description may leave out the arrays as well.
  @Test func everyFeatureThatTheModelNamesComesFromThePipeline() throws {
    let pipeline = F.pipeline(Self.arrays + Self.thresholds, Self.outputs, [Self.suppression([])])
    #expect(try found(pipeline, ["least": 0.2]) == [0.9, 0.3])
    #expect(F.refusal(Self.suppression([]))?.contains("no input feature 'confidence'") == true)
  }

  @Test func aThresholdMayBeAnArrayOfOneNumber() throws {
    let array = F.Feature.floats("least", [1])
    for feature in [array, array.optional] {
      let pipeline = F.pipeline(Self.arrays + [feature], Self.outputs, [Self.suppression()])
      #expect(try found(pipeline, ["least": CustomLayers.array([0.2], [1])]) == [0.9, 0.3])
      #expect(try found(pipeline) == [0.9])
    }
  }
}
