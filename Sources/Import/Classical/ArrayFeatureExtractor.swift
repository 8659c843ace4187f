import CoreMLSpec
import MIL

extension FeatureProgram {
  /// Extracts the elements at the given positions of the flattened array.
  mutating func arrayFeatureExtractor(_ message: Specification.ArrayFeatureExtractor) throws {
    let input = try onlyInput()
    let indices = try message.extractIndex.map { index -> Int in
      guard let value = Int(exactly: index), value < 1 << 31 else { throw error("it extracts the element \(index)") }
      return value
    }
    guard let type = builder.scope.types[input]?.tensor else { throw error("its input is no array") }
    if let count = type.elementCount, let outside = indices.first(where: { $0 >= count }) {
      throw error("it extracts the element \(outside) of an array of \(count)")
    }
    var value = input
    if type.rank != 1 { value = try emit("reshape", ["x": .name(value), "shape": .ints([-1])]) }
    value = try emit("gather", ["x": .name(value), "indices": .ints(indices), "axis": .int(0)])
    if case .int64Type? = try description.output.first?.type?.type {
      value = try emit("cast", ["x": .name(value), "dtype": .string("int64")])
    }
    try setOnly(value)
  }
}
