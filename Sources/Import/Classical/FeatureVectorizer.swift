import CoreMLSpec
import MIL

extension FeatureProgram {
  static func named(_ message: Specification.FeatureVectorizer) throws -> [String] {
    try message.inputList.map { try $0.inputColumn }
  }

  /// Concatenates the given features. The keys of a dictionary are indices into its part.
  mutating func featureVectorizer(_ message: Specification.FeatureVectorizer) throws {
    let parts = try message.inputList.map { column -> String in
      let name = try input(column.inputColumn)
      guard let size = Int(exactly: try column.inputDimensions), size < 1 << 31 else {
        throw error("the feature '\(name)' has \(try column.inputDimensions) dimensions")
      }
      if case .dictionary? = builder.scope.types[name] {
        return try emit("ml.vectorize", ["x": .name(name), "size": .int(size)])
      }
      let vector = try vector(of: name)
      guard try length(vector).map({ $0 == size }) ?? true else {
        throw error("the feature '\(name)' has \(try length(vector) ?? 0) elements, its part of the vector \(size)")
      }
      return vector
    }
    try setOnly(concat(parts))
  }
}
