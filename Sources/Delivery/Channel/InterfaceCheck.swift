import CoreMLRuntime
import Foundation

/// Checks whether a new model can replace another one without changes to the calling program.
enum InterfaceCheck {
  /// - Throws: ``DeliveryError`` `otherInterface`, with the first difference.
  static func require(_ new: MLModelDescription, fits old: MLModelDescription) throws {
    func differ(_ sentence: String) -> DeliveryError {
      DeliveryError(.otherInterface, "the new model \(sentence)")
    }
    for (name, input) in new.inputDescriptionsByName.sorted(by: { $0.key < $1.key }) {
      guard let known = old.inputDescriptionsByName[name] else {
        if input.isOptional { continue }
        throw differ("needs an input '\(name)', which the one before does not have")
      }
      if known.isOptional && !input.isOptional {
        throw differ("needs the input '\(name)', which may be left out so far")
      }
      guard known.type == input.type else { throw differ("takes another type of input '\(name)'") }
      if let shape = known.multiArrayConstraint?.shape, let constraint = input.multiArrayConstraint,
        !constraint.shapeConstraint.allows(shape.map(\.intValue), declared: constraint.shape.map(\.intValue))
      {
        throw differ("takes other shapes of the input '\(name)' than \(shape)")
      }
    }
    for (name, output) in old.outputDescriptionsByName.sorted(by: { $0.key < $1.key }) {
      guard let found = new.outputDescriptionsByName[name] else { throw differ("gives no output '\(name)'") }
      guard found.type == output.type else { throw differ("gives another type of output '\(name)'") }
    }
  }

  /// Checks a model that was trained on this device.
  ///
  /// - Parameter start: the model that the training started from.
  /// - Throws: ``DeliveryError`` `otherInterface`; `doesNotLoad` if the training wrote no loadable model.
  static func require(
    trained: URL, fits start: URL, _ configuration: () -> MLModelConfiguration
  ) throws {
    let old = try MLModel(contentsOf: start, configuration: configuration()).modelDescription
    let new: MLModelDescription
    do { new = try MLModel(contentsOf: trained, configuration: configuration()).modelDescription } catch {
      throw DeliveryError(.doesNotLoad, "the trained model cannot be loaded: \(error)", file: trained.path)
    }
    try require(new, fits: old)
  }
}
