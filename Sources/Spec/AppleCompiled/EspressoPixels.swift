import CoreMLBase

/// `model/coremldata.bin` of a neural network compiled by Apple's tools: the preprocessing of its image inputs.
///
/// The file has eight maps from an input's name to a float32. Each is a u64 count followed by the pairs; names have a
/// u64 length prefix. The first map marks inputs that are images, the second those in BGR order, and the third
/// grayscale ones. Four biases and the scale follow.
package struct EspressoPixels: Sendable {
  package struct Pixels: Sendable, Equatable {
    package var isBlueFirst = false
    package var isGrayscale = false
    /// In file order.
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
