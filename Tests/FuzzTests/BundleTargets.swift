import CoreMLSpec
import Foundation
import MIL

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Folders in the format of Apple's compiler.
extension FuzzTarget {
  /// Neural networks.
  static let espresso = FuzzTarget("espresso") { input in
    try load(
      input,
      [
        "model.espresso.net", "model.espresso.shape", "model.espresso.weights", "coremldata.bin",
        "model/coremldata.bin",
        "neural_network_optionals/coremldata.bin", "metadata.json",
      ])
  }

  /// ML programs, pipelines and models of other types, and folders in this project's own format.
  static let bundle = FuzzTarget("bundle") { input in
    try load(
      input,
      [
        "coremldata.bin", "model.mil", "metadata.json", "weights/weight.bin", "model0/coremldata.bin",
        "model1/coremldata.bin", "model0/model.mil",
      ])
  }

  private static func load(_ input: UnsafeRawBufferPointer, _ names: [String]) throws {
    try Parts(input, names: names).inFolder { folder in
      let model = try CompiledModelLoader.load(folder)
      try check(model, WeightFiles(folder: folder))
    }
  }
}
