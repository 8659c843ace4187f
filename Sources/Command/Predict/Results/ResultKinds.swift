import CoreML
import CoreMLImages
import FeatureFiles
import Foundation

/// The suffixes of a row's result files in an output folder.
struct ResultKinds {
  /// By output: `png` for the only picture, `<output>.png` if there are several.
  let pictures: [String: String]
  let all: [String]
  init(_ outputs: [String: MLFeatureDescription], _ path: String) throws {
    // PNG has no fp16 samples, so fp16 images are written as arrays.
    let images = outputs.values.filter {
      $0.type == .image && $0.imageConstraint?.pixelFormatType != kCVPixelFormatType_OneComponent16Half
    }.map(\.name).sorted()
    if images.count > 1, let name = images.first(where: { $0.contains("/") || $0.contains("\0") }) {
      throw Failure(
        .usage, "--output \(path): the output '\(name)' cannot be part of a file's name; a .jsonl file holds it")
    }
    pictures = Dictionary(uniqueKeysWithValues: images.map { ($0, images.count == 1 ? "png" : "\($0).png") })
    all = ["json", "npz"] + pictures.values.sorted()
  }

  /// The suffixes of result files, in lowercase.
  var suffixes: [String] { pictures.isEmpty ? ["json", "npz"] : ["json", "npz", "png"] }

  /// Throws if files of two rows would have the same name.
  func check(_ names: Set<String>, _ path: String) throws {
    guard pictures.count > 1 else { return }
    var files: Set<String> = []
    for name in names {
      for kind in pictures.values where !files.insert("\(name).\(kind)").inserted {
        throw Failure(.usage, "--output \(path): two rows would write '\(name).\(kind)'; a .jsonl file holds both")
      }
    }
  }

  /// The existing pictures of a row, as expected values.
  func expected(_ path: String, row: String, _ outputs: [String: MLFeatureDescription]) throws -> [String: JSONValue] {
    var values: [String: JSONValue] = [:]
    for (output, kind) in pictures {
      let file = "\(path)/\(row).\(kind)"
      guard FileManager.default.fileExists(atPath: file) else { continue }
      let format = outputs[output]?.imageConstraint?.pixelFormatType ?? kCVPixelFormatType_32BGRA
      values[output] = OutputComparison.value(try ImageFiles.array(at: file, format))
    }
    return values
  }
}
