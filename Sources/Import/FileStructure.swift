import Foundation
import MIL

/// The structure of a model file that its program does not reflect: the layers of a network, the models of a pipeline.
/// It is stored with the function, so that a compiled model has it too.
package struct FileStructure: Codable, Sendable {
  /// A layer of a network.
  package struct Layer: Codable, Sendable {
    package let name: String
    /// The name of the field in the specification, for example `convolution`.
    package let type: String
    package let inputs: [String]
    package let outputs: [String]

    package init(name: String, type: String, inputs: [String], outputs: [String]) {
      (self.name, self.type, self.inputs, self.outputs) = (name, type, inputs, outputs)
    }
  }

  /// The name of the field in the specification, for example `neuralNetwork`.
  package let modelType: String
  /// The name of the model in a pipeline.
  package var name: String?
  /// For a linked model: the file that it names, and the folders in which to search for it.
  package var linkedFile: String?
  package var linkedSearchPath: String?
  package var layers: [Layer]?
  package var models: [FileStructure]?

  package init(modelType: String, layers: [Layer]? = nil, models: [FileStructure]? = nil) {
    (self.modelType, self.layers, self.models) = (modelType, layers, models)
  }
}

extension Function {
  private static let key = "fileStructure"

  /// Nil for programs, classical models, and models compiled before the structure was stored.
  package var fileStructure: FileStructure? {
    get {
      guard let text = try? attributes[Self.key]?.tensor?.strings().first else { return nil }
      return try? JSONDecoder().decode(FileStructure.self, from: Data(text.utf8))
    }
    set {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let newValue, let data = try? encoder.encode(newValue) else { return }
      attributes[Self.key] = .string(String(decoding: data, as: UTF8.self))
    }
  }
}
