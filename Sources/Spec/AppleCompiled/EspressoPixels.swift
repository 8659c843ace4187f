import CoreMLBase

/// `model/coremldata.bin` of a neural network compiled by Apple's tools: what is done to the pixels of its image inputs.
///
/// Eight maps from an input's name to a float32, each a u64 count and then the pairs (a name follows its u64 length). The first says that
/// the input is an image, the second that blue comes first, the third that it is grayscale; four biases and the scale follow.
package struct EspressoPixels: Sendable {
  package struct Pixels: Sendable, Equatable {
    package var isBlueFirst = false
    package var isGrayscale = false
    /// In the order of the file.
    package var biases: [Float] = [0, 0, 0, 0]
    package var scale: Float = 1
  }

  package let inputs: [String: Pixels]

  package init(_ bytes: Bytes) throws {
    var cursor = ByteCursor(bytes)
    var maps: [[String: Float]] = []
    do {
      for _ in 0..<8 {
        let count = try cursor.count(of: "images", size: 12)
        var map: [String: Float] = [:]
        for _ in 0..<count {
          let name = try cursor.string("the name of an image")
          map[name] = try cursor.float()
        }
        maps.append(map)
      }
    } catch let error as SpecError where error.code == .outOfBounds {
      throw bytes.error(.malformedCompiledModel, "the list of images is cut short: \(error.message)")
    }
    guard cursor.remaining == 0 else {
      throw bytes.error(
        .compiledByApple, "the list of images goes on for \(cursor.remaining) bytes after what is known of it")
    }
    inputs = maps[0].keys.reduce(into: [:]) { inputs, name in
      inputs[name] = Pixels(
        isBlueFirst: maps[1][name] ?? 0 != 0, isGrayscale: maps[2][name] ?? 0 != 0,
        biases: (3...6).map { maps[$0][name] ?? 0 }, scale: maps[7][name] ?? 1)
    }
  }

  package static func open(_ path: String) throws -> EspressoPixels {
    try EspressoPixels(try Bytes.mapping(file: path))
  }
}
