import CoreMLSpec
import MIL

struct FeatureVectorizerImport {
  let program: FeatureProgram

  static func named(_ message: Specification.FeatureVectorizer) throws -> [String] {
    try message.inputList.map { try $0.inputColumn }
  }

  /// Concatenates the given features. The keys of a dictionary are indices into its part.
  func add(_ message: Specification.FeatureVectorizer) throws {
    let parts = try message.inputList.map { column -> String in
      let name = try program.input(column.inputColumn)
      guard let size = Int(exactly: try column.inputDimensions), size < 1 << 31 else {
        throw program.error("the feature '\(name)' has \(try column.inputDimensions) dimensions")
      }
      if case .dictionary? = program.builder.scope.types[name] {
        return try program.emit("ml.vectorize", ["x": .name(name), "size": .int(size)])
      }
      let vector = try program.vector(of: name)
      guard try program.length(vector).map({ $0 == size }) ?? true else {
        throw program.error(
          "the feature '\(name)' has \(try program.length(vector) ?? 0) elements, its part of the vector \(size)")
      }
      return vector
    }
    try program.setOnly(program.concat(parts))
  }
}
