import Foundation

/// A compiled model written field by field: a program as text, and arrays as its features.
enum WrittenModel {
  /// Inputs and outputs are fp32 arrays. An axis declared as 0 may have any size.
  @discardableResult static func write(
    _ program: String, inputs: [String: [UInt8]], outputs: [String: [UInt8]], in folder: Scratch, named name: String
  ) throws -> String {
    try folder.write("program(1.3) { func main<ios18>\(program); }", to: "\(name).mlmodelc/model.mil")
    let description =
      inputs.sorted { $0.key < $1.key }.flatMap { field(1, feature($0.key, $0.value)) }
      + outputs.sorted { $0.key < $1.key }.flatMap { field(10, feature($0.key, $0.value)) }
    try Data(description).write(to: folder.url.appending(path: "\(name).mlmodelc/coremldata.bin"))
    let metadata = """
      [{"coremlRuntimeFormat": 1, "modelType": "mlProgram", "specificationVersion": 9, "arrayMapping": "exact", "imageMapping": "exact"}]
      """
    try folder.write(metadata, to: "\(name).mlmodelc/metadata.json")
    return "\(name).mlmodelc"
  }

  /// The `FeatureDescription` of an array.
  private static func feature(_ name: String, _ shape: [UInt8]) -> [UInt8] {
    var array = field(1, shape.map { max($0, 1) }) + [0x10] + varint(65568)
    if shape.contains(0) {
      // `shapeRange`: every axis has its own bounds. An upper bound of -1 means unbounded.
      let ranges = shape.flatMap { size in
        field(1, [0x08, size] + [0x10] + (size == 0 ? varint(UInt64.max) : [size]))
      }
      array += field(31, ranges)
    }
    return field(1, Array(name.utf8)) + field(3, field(5, array))
  }

  private static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(UInt64(number << 3 | 2)) + varint(UInt64(bytes.count)) + bytes
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
