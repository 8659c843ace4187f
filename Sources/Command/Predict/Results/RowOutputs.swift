import CoreML
import CoreMLBase
import CoreMLSpec
import FeatureFiles
import Foundation

/// The output files of one row. `.npz` takes the multi-arrays, `.json` the other outputs (all outputs without an
/// `.npz`), `NAME=FILE.png` an image.
struct RowOutputs {
  /// How many of a dictionary's largest values are kept.
  private let keep: Int?
  private var arrays: [String] = []
  private var values: [String] = []
  private var images: [(name: String?, path: String)] = []

  init(_ outputs: [String], keep: Int? = nil) throws {
    self.keep = keep
    for output in outputs {
      let (name, path) = FeatureReader.split(output)
      switch (URL(filePath: path).pathExtension.lowercased(), name) {
      case ("npz", nil): arrays.append(path)
      case ("json", nil): values.append(path)
      case ("png", _): images.append((name, path))
      case ("npz", _?), ("json", _?):
        throw Failure(.usage, "--output \(output): the file holds features by their names, expected no NAME")
      default: throw Failure(.usage, "--output \(output): expected .npz, .json or NAME=FILE.png")
      }
    }
  }

  /// Throws if a file could hold none of the model's outputs.
  func check(_ outputs: [String: MLFeatureDescription]) throws {
    guard values.isEmpty else { return }
    for path in arrays { try Self.expectArrays(outputs, path, instead: "a .json file") }
  }

  static func expectArrays(_ outputs: [String: MLFeatureDescription], _ path: String, instead: String) throws {
    guard !outputs.values.contains(where: { $0.type == .multiArray }) else { return }
    let names = outputs.values.sorted { $0.name < $1.name }.map { "'\($0.name)' (\($0.type))" }
    throw Failure(
      .usage,
      "--output \(path): an .npz holds arrays, and the model gives \(names.joined(separator: ", ")); \(instead) holds them"
    )
  }

  func write(_ result: any MLFeatureProvider) throws {
    for (name, path) in images {
      let name = try name ?? onlyImage(result, path)
      guard let image = result.featureValue(for: name)?.imageBufferValue else {
        throw Failure(.usage, "--output \(name)=\(path): the model has no image output '\(name)'")
      }
      try ImageFiles.write(image, to: path)
    }
    for path in arrays { try Self.writeArrays(result, path) }
    for path in values {
      let names = result.featureNames.filter { arrays.isEmpty || result.featureValue(for: $0)?.type != .multiArray }
      try Self.writeValues(result, names.sorted(), keep: keep, path)
    }
  }

  private func onlyImage(_ result: any MLFeatureProvider, _ path: String) throws -> String {
    let names = result.featureNames.filter { result.featureValue(for: $0)?.type == .image }
    guard names.count == 1, let name = names.first else {
      throw Failure(.usage, "--output \(path): expected NAME=FILE.png, the model has \(names.count) image outputs")
    }
    return name
  }

  static func writeArrays(_ result: any MLFeatureProvider, _ path: String) throws {
    try NPZ.write(arrays(result), to: path)
  }

  /// The outputs that are arrays, ordered by name.
  static func arrays(_ result: any MLFeatureProvider) -> [(name: String, array: NPYArray)] {
    result.featureNames.sorted().compactMap { name in
      result.featureValue(for: name)?.multiArrayValue.map { (name: name, array: FeatureConversion.array($0)) }
    }
  }

  static func writeValues(_ result: any MLFeatureProvider, _ names: [String], keep: Int?, _ path: String) throws {
    let file = try FileWriter(path: path)
    try file.append(line(result, names, keep: keep))
    try file.commit()
  }

  /// Outputs as a JSON object, with a newline.
  static func line(_ result: any MLFeatureProvider, _ names: [String], keep: Int?) -> [UInt8] {
    var writer = FeatureJSONWriter()
    writer.row(result, names: names, keep: keep)
    return writer.bytes + [0x0A]
  }
}
