import CoreML
import CoreMLSpec
import FeatureFiles
import Foundation

/// Where the outputs of one row go: `.npz` takes the multi-arrays, `.json` the others (all, when no `.npz` is given), `NAME=FILE.png` an image.
struct RowOutputs {
  private var arrays: [String] = []
  private var values: [String] = []
  private var images: [(name: String?, path: String)] = []

  init(_ outputs: [String]) throws {
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
      try Self.writeValues(result, names.sorted(), path)
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
    let arrays = result.featureNames.sorted().compactMap { name in
      result.featureValue(for: name)?.multiArrayValue.map { (name: name, array: FeatureConversion.array($0)) }
    }
    try NPZ.write(arrays, to: path)
  }

  static func writeValues(_ result: any MLFeatureProvider, _ names: [String], _ path: String) throws {
    var writer = FeatureJSONWriter()
    writer.row(result, names: names)
    let file = try FileWriter(path: path)
    try file.append(Array((writer.text + "\n").utf8))
    try file.commit()
  }
}
