import CoreMLRuntime
import Foundation

/// Features as JSON. Numbers and strings are themselves, dictionaries are objects, multi-arrays and sequences are
/// nested lists. Exact arrays are `{"shape": [...], "dataType": "float32", "data": [...]}`, and images are `{"image":
/// "path"}`.
public enum FeatureJSON {
  /// A value as a feature of the declared type.
  ///
  /// - Parameters:
  ///   - images: Where the images are that the value names.
  ///   - options: How to scale and crop an image of another size.
  public static func feature(
    _ json: JSONValue, _ description: MLFeatureDescription, images: ImageSource,
    options: [MLFeatureValue.ImageOption: Any]? = nil
  ) throws -> MLFeatureValue {
    let name = description.name
    func mismatch(_ expected: String) -> FeatureFileError {
      FeatureFileError(.invalid, "the feature '\(name)' is \(json.kind), expected \(expected)")
    }
    switch description.type {
    case .int64:
      guard let value = json.int64 else { throw mismatch("an integer of 64 bits") }
      return MLFeatureValue(int64: value)
    case .double:
      guard let value = json.double else { throw mismatch("a number") }
      return MLFeatureValue(double: value)
    case .string:
      guard case .string(let value) = json else { throw mismatch("a string") }
      return MLFeatureValue(string: value)
    case .dictionary:
      guard case .object(let members) = json else { throw mismatch("an object of numbers by key") }
      return try dictionary(members, description)
    case .sequence: return try sequence(json, description, mismatch)
    case .multiArray: return try FeatureConversion.feature(array(json, name), description)
    case .image:
      guard let path = picture(json) else { throw mismatch("the path of a picture, or an object {\"image\": path}") }
      return try ImageFiles.feature(images.path(of: path, for: name), description, options)
    case .state, .invalid: throw mismatch("no value: the feature is of type \(description.type)")
    }
  }

  /// The path of an image: a string, or `{"image": path}`.
  public static func picture(_ json: JSONValue) -> String? {
    if case .string(let path) = json { return path }
    guard case .object(let members) = json, case .string(let path)? = members["image"], members.count == 1 else {
      return nil
    }
    return path
  }

  private static func dictionary(_ members: [String: JSONValue], _ description: MLFeatureDescription) throws
    -> MLFeatureValue
  {
    var result: [AnyHashable: NSNumber] = [:]
    var texts: [Int64: String] = [:]
    // Sorted by key, so that the same error is reported in each run.
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let number = value.double else {
        throw FeatureFileError(
          .invalid, "the feature '\(description.name)' has \(value.kind) for '\(key)', expected a number")
      }
      if description.dictionaryConstraint?.keyType == .int64 {
        guard let integer = Int64(key) else {
          throw FeatureFileError(
            .invalid, "the feature '\(description.name)' has the key '\(key)', expected an integer of 64 bits")
        }
        if let other = texts.updateValue(key, forKey: integer) {
          throw FeatureFileError(
            .invalid, "the feature '\(description.name)' has the keys '\(other)' and '\(key)', which are one integer")
        }
        result[AnyHashable(integer)] = NSNumber(value: number)
      } else {
        result[AnyHashable(key)] = NSNumber(value: number)
      }
    }
    return try MLFeatureValue(dictionary: result)
  }

  private static func sequence(
    _ json: JSONValue, _ description: MLFeatureDescription, _ mismatch: (String) -> FeatureFileError
  ) throws -> MLFeatureValue {
    func wrong() -> FeatureFileError { mismatch("a list of integers of 64 bits or of strings") }
    switch json {
    case .array(let items) where items.isEmpty:
      return MLFeatureValue(
        sequence: MLSequence(empty: description.sequenceConstraint?.valueDescription.type ?? .string))
    case .array(let items) where items.allSatisfy({ $0.text != nil }):
      return MLFeatureValue(sequence: MLSequence(strings: items.compactMap(\.text)))
    case .integers, .numbers, .array:
      guard let integers = json.int64s else { throw wrong() }
      return MLFeatureValue(sequence: MLSequence(int64s: integers.map { NSNumber(value: $0) }))
    default: throw wrong()
    }
  }

  // MARK: arrays

  /// The array for a value: an exact array, nested lists, or one number.
  public static func array(_ json: JSONValue, _ name: String) throws -> NPYArray {
    if case .object(let members) = json { return try exact(members, name) }
    var shape: [Int] = []
    var values: [Double] = []
    try flatten(json, axis: 0, &shape, &values, name)
    return NPYArray(.float64, shape: shape, bytes: bytes(values))
  }

  private static func exact(_ members: [String: JSONValue], _ name: String) throws -> NPYArray {
    func bad(_ sentence: String) -> FeatureFileError { FeatureFileError(.invalid, "the array '\(name)' \(sentence)") }
    guard Set(members.keys) == ["shape", "dataType", "data"], let list = members["shape"]?.doubles,
      let data = members["data"]?.doubles, case .string(let type)? = members["dataType"]
    else { throw bad("is an object without exactly shape, dataType and data") }
    guard let element = elements[type] else {
      throw bad("has the data type '\(type)', expected one of \(elements.keys.sorted().joined(separator: ", "))")
    }
    var count = 1
    let shape = try list.map { number in
      guard let size = Int(exactly: number), size >= 0 else { throw bad("has a size \(number)") }
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard !overflow else { throw bad("has an impossible shape") }
      count = product
      return size
    }
    guard count == data.count else { throw bad("has the shape \(shape) and \(data.count) elements") }
    guard element == .float64 || element == .float32 || element == .float16 || data.allSatisfy({ $0 == $0.rounded() })
    else {
      throw bad("is of integers and has an element that is none")
    }
    // Double represents all elements of these types exactly. They are converted to the feature's own type later.
    return NPYArray(.float64, shape: shape, bytes: bytes(data))
  }

  private static let elements: [String: NPYArray.Element] = [
    "double": .float64, "float64": .float64, "float32": .float32, "float16": .float16, "int32": .int32, "int8": .int8,
  ]

  private static func flatten(
    _ json: JSONValue, axis: Int, _ shape: inout [Int], _ values: inout [Double], _ name: String
  ) throws {
    func sized(_ count: Int, isLeaf: Bool) throws {
      // The first list at each depth determines the shape. All others must agree.
      if axis == shape.count {
        guard values.isEmpty else { throw ragged }
        shape.append(count)
      }
      guard shape[axis] == count, !isLeaf || axis == shape.count - 1 else { throw ragged }
    }
    var ragged: FeatureFileError {
      FeatureFileError(.invalid, "the lists of the array '\(name)' differ in length or depth")
    }
    switch json {
    case .numbers, .integers, .array:
      if let numbers = json.doubles {
        try sized(numbers.count, isLeaf: true)
        values += numbers
        return
      }
      guard case .array(let items) = json else { return }
      if let odd = items.first(where: { !$0.isList && $0.double == nil }) {
        throw FeatureFileError(.invalid, "the array '\(name)' holds \(odd.kind), expected numbers")
      }
      try sized(items.count, isLeaf: false)
      for item in items { try flatten(item, axis: axis + 1, &shape, &values, name) }
    default:
      guard let number = json.double else {
        throw FeatureFileError(.invalid, "the array '\(name)' holds \(json.kind), expected numbers")
      }
      // A number next to lists.
      guard axis == 0 else { throw ragged }
      values.append(number)
    }
  }

  private static func bytes(_ values: [Double]) -> [UInt8] { values.withUnsafeBytes { Array($0) } }
}
