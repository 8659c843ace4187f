import Foundation
import MIL

/// What a model's file was made of, where its program does not say: the layers of a network, the models of a pipeline. It is kept with the
/// function, so that a compiled model tells it too.
package struct FileStructure: Codable, Sendable {
  /// A layer of a network.
  package struct Layer: Codable, Sendable {
    package let name: String
    /// The field of the specification, such as `convolution`.
    package let type: String
    package let inputs: [String]
    package let outputs: [String]

    package init(name: String, type: String, inputs: [String], outputs: [String]) {
      (self.name, self.type, self.inputs, self.outputs) = (name, type, inputs, outputs)
    }
  }

  /// The field of the specification, such as `neuralNetwork`.
  package let modelType: String
  /// In a pipeline, the name that it has for the model.
  package var name: String?
  /// Of a linked model: the file that it names, and the folders where that is looked for.
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

  /// Nil where nothing was kept: for programs and classical models, and models that were compiled before it was.
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
