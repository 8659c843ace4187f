import CoreMLRuntime
import Foundation

@testable import CoreMLDelivery

/// A nearest-neighbour classifier of points in the plane (NearestNeighbors.proto) that can be trained. Version V
/// classifies (0, 0) as "base V".
enum Pupil {
  private typealias Proto = SmallModel

  private static func floats(_ values: [Float]) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
  }

  static func bytes(_ version: Int) -> [UInt8] {
    func feature(_ name: String, _ type: [UInt8]) -> [UInt8] {
      Proto.field(1, Array(name.utf8)) + Proto.field(3, type)
    }
    let point = feature("x", Proto.field(5, Proto.field(1, Proto.varint(2)) + Proto.field(2, 65_568)))
    let label = feature("label", Proto.field(3, []))
    let chances = feature("chances", Proto.field(6, Proto.field(2, [])))
    let description =
      Proto.field(1, point) + Proto.field(10, label) + Proto.field(10, chances)
      + Proto.field(11, Array("label".utf8)) + Proto.field(12, Array("chances".utf8)) + Proto.field(50, point)
      + Proto.field(50, label)
    let index =
      Proto.field(1, 2) + Proto.field(2, Proto.field(1, floats([0, 0]))) + Proto.field(100, [])
      + Proto.field(200, [])
    let neighbors = Proto.field(1, 1) + Proto.field(10, Proto.field(1, 1) + Proto.field(2, 9))
    let classifier =
      Proto.field(1, index) + Proto.field(3, neighbors)
      + Proto.field(100, Proto.field(1, Array("base \(version)".utf8)))
      + Proto.field(110, Array("nothing".utf8)) + Proto.field(200, [])
    return Proto.field(1, 4) + Proto.field(2, description) + Proto.field(10, 1) + Proto.field(404, classifier)
  }

  static func source(_ version: Int, in folder: TemporaryFolder) throws -> URL {
    let file = folder.url.appending(path: "pupil-\(version).mlmodel")
    try Data(bytes(version)).write(to: file)
    return file
  }

  /// The training data of the user: (5, 5) is "mine".
  @Sendable static func lessons() throws -> any MLBatchProvider {
    MLArrayBatchProvider(array: [
      try MLDictionaryFeatureProvider(dictionary: ["x": try MLMultiArray([5.0, 5.0]), "label": "mine"])
    ])
  }

  /// Trains with an update task, as a program does.
  static let learn: Personalisation = { start, target in
    guard case .retrain(let train) = RebasePolicy.retrain(on: lessons) else { return }
    try await train(start, target)
  }
}

extension ManagedModel {
  /// Returns the label of the point (at, at).
  func label(_ at: Double) throws -> String? {
    try output("label", from: MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray([at, at])]))?.stringValue
  }

  /// The labels that show what the model learned from its base and from the user.
  var knowledge: [String?] { get throws { [try label(0), try label(5)] } }
}
