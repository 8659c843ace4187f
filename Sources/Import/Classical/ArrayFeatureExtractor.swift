import CoreMLSpec
import MIL

struct ArrayFeatureExtractorImport {
  let program: FeatureProgram

  /// Extracts the elements at the given positions of the flattened array.
  func add(_ message: Specification.ArrayFeatureExtractor) throws {
    let input = try program.onlyInput()
    let indices = try message.extractIndex.map { index -> Int in
      guard let value = Int(exactly: index), value < 1 << 31 else {
        throw program.error("it extracts the element \(index)")
      }
      return value
    }
    guard let type = program.builder.scope.types[input]?.tensor else { throw program.error("its input is no array") }
    if let count = type.elementCount, let outside = indices.first(where: { $0 >= count }) {
      throw program.error("it extracts the element \(outside) of an array of \(count)")
    }
    var value = input
    if type.rank != 1 { value = try program.emit("reshape", ["x": .name(value), "shape": .ints([-1])]) }
    value = try program.emit("gather", ["x": .name(value), "indices": .ints(indices), "axis": .int(0)])
    if case .int64Type? = try program.description.output.first?.type?.type {
      value = try program.emit("cast", ["x": .name(value), "dtype": .string("int64")])
    }
    try program.setOnly(value)
  }
}
