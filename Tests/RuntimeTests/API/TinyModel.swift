import CoreMLSpec
import Foundation
import TestModels

@testable import CoreMLRuntime

/// An updatable network with the input `x` (1, 2, 3). Its outputs are `y` = x + 1 and the gray image `picture` = 2 x.
enum TinyModel {
  static func load() throws -> MLModel {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tiny-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "Tiny.mlmodel")
    try Data(specification()).write(to: source)
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return try MLModel(
      contentsOf: MLModel.compileModel(at: source, into: folder), configuration: configuration)
  }

  static func specification(isUpdatable: Bool = true) -> [UInt8] {
    var model = WireWriter()
    model.append(1, int: 4)
    model.append(2, message: describe)
    model.append(10, bool: isUpdatable)
    model.append(500) { network in
      network.append(1, bytes: Net.add("x", 1, "y"))
      network.append(1, bytes: Net.multiply("x", 2, "picture"))
      network.append(10, message: update)
    }
    return model.bytes
  }

  private static func describe(_ description: inout WireWriter) {
    for (field, name) in [(1, "x"), (10, "y"), (50, "x")] {
      description.append(field) { feature in
        feature.append(1, string: name)
        feature.append(3) { type in
          type.append(5) { array in
            array.append(1, packed: [1, 2, 3] as [Int64])
            array.append(2, int: 0x10020)
          }
        }
      }
    }
    description.append(10) { feature in
      feature.append(1, string: "picture")
      feature.append(3) { type in
        type.append(4) { image in
          image.append(1, int: 3)
          image.append(2, int: 2)
          image.append(3, int: 10)
        }
      }
    }
  }

  static func update(_ update: inout WireWriter) {
    update.append(2) { optimizer in
      optimizer.append(10) { sgd in
        sgd.append(1) { rate in
          rate.append(1, double: 0.01)
          rate.append(10) { range in
            range.append(1, double: 0)
            range.append(2, double: 1)
          }
        }
        sgd.append(2) { batch in
          batch.append(1, int: 16)
          batch.append(11) { $0.append(1, packed: [32, 16, 64] as [Int64]) }
        }
      }
    }
    update.append(3) { $0.append(1, int: 10) }
    update.append(10) { $0.append(1, bool: true) }
  }

  static func input(_ values: [Float] = [0, 1, 2, 3, 4, 5]) throws -> any MLFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": MLShapedArray<Float>(scalars: values, shape: [1, 2, 3])])
  }
}
