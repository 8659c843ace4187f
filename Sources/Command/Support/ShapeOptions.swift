import ArgumentParser
import CoreML
import Foundation

/// Shapes for inputs that allow several.
struct ShapeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The shape of an input that allows several, such as x=1x3x640x480; for an image its height and width. The declared shape by default.",
      valueName: "name=shape"))
  var shapes: [String] = []

  func validate() throws { _ = try byName() }

  /// Shapes by input name.
  func byName() throws -> [String: [Int]] {
    var shapes: [String: [Int]] = [:]
    for word in self.shapes {
      guard let equals = word.lastIndex(of: "="), equals != word.startIndex else {
        throw ValidationError("--shapes is '\(word)', expected NAME=SHAPE, such as x=1x3x640x480")
      }
      let name = String(word[..<equals])
      let sizes = word[word.index(after: equals)...].split(separator: "x", omittingEmptySubsequences: false)
        .map { Int($0) }
      guard sizes.allSatisfy({ $0.map { (1...Int(Int32.max)).contains($0) } ?? false }) else {
        throw ValidationError("--shapes is '\(word)', expected sizes of 1 and more with x between them")
      }
      guard shapes.updateValue(sizes.compactMap { $0 }, forKey: name) == nil else {
        throw ValidationError("--shapes names '\(name)' twice")
      }
    }
    return shapes
  }
}

extension [String: [Int]] {
  /// Throws if an input does not allow its shape.
  func check(_ description: MLModelDescription) throws {
    let inputs = description.inputDescriptionsByName
    for (name, shape) in sorted(by: { $0.key < $1.key }) {
      guard let input = inputs[name] else {
        let names = inputs.keys.sorted().joined(separator: ", ")
        throw Failure(.usage, "--shapes: the model has no input '\(name)'; it has \(names)")
      }
      let text = shape.map(String.init).joined(separator: "x")
      if let constraint = input.imageConstraint {
        guard shape.count == 2, constraint.allows(wide: shape[1], high: shape[0]) else {
          throw Failure(.data, "--shapes: the picture '\(name)' cannot be \(text) (height and width)")
        }
      } else if let constraint = input.multiArrayConstraint {
        let declared = constraint.shape.map(\.intValue)
        guard constraint.shapeConstraint.allows(shape, declared: declared) else {
          let reason = constraint.shapeConstraint.refusal(of: shape, declared: declared)
          throw Failure(.data, "--shapes: the array '\(name)' cannot be \(text): \(reason)")
        }
      } else {
        throw Failure(.usage, "--shapes: the input '\(name)' is of type \(input.type), and has no shape")
      }
    }
  }
}
