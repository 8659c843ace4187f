import Foundation

/// Small models written field by field (Model.proto, FeatureTypes.proto): features of any type, and the models that
/// compute outputs from them.
enum EncodedModel {
  /// The encoded type of a feature.
  enum Kind {
    case int64, string, int64Sequence, int64Dictionary, stringDictionary
    case array(UInt64), int32Array(UInt64)
    /// A color image with a width and a height.
    case picture(UInt64, UInt64)

    var bytes: [UInt8] {
      switch self {
      case .int64: EncodedModel.field(1, [UInt8]())
      case .string: EncodedModel.field(3, [UInt8]())
      case .picture(let width, let height):
        EncodedModel.field(4, EncodedModel.field(1, width) + EncodedModel.field(2, height) + EncodedModel.field(3, 20))
      case .array(let count):
        EncodedModel.field(5, EncodedModel.field(1, EncodedModel.varint(count)) + EncodedModel.field(2, 65600))
      case .int32Array(let count):
        EncodedModel.field(5, EncodedModel.field(1, EncodedModel.varint(count)) + EncodedModel.field(2, 131104))
      case .int64Dictionary: EncodedModel.field(6, EncodedModel.field(1, [UInt8]()))
      case .stringDictionary: EncodedModel.field(6, EncodedModel.field(2, [UInt8]()))
      case .int64Sequence:
        EncodedModel.field(
          7, EncodedModel.field(1, [UInt8]()) + EncodedModel.field(101, EncodedModel.field(2, UInt64.max)))
      }
    }
  }

  /// A model whose outputs are its inputs.
  static func identity(_ features: [(String, Kind)], to name: String, in folder: Scratch) throws {
    try write(features, features, field(900, [UInt8]()), to: name, in: folder)
  }

  /// A model with one input and one output. `type` is the encoded message of the model type, including its field
  /// number.
  static func write(
    _ input: (String, Kind), _ output: (String, Kind), _ type: [UInt8], to name: String, in folder: Scratch
  ) throws { try write([input], [output], type, to: name, in: folder) }

  private static func write(
    _ inputs: [(String, Kind)], _ outputs: [(String, Kind)], _ type: [UInt8], to name: String, in folder: Scratch
  ) throws {
    func feature(_ name: String, _ kind: Kind) -> [UInt8] { field(1, Array(name.utf8)) + field(3, kind.bytes) }
    let description =
      inputs.flatMap { field(1, feature($0.0, $0.1)) } + outputs.flatMap { field(10, feature($0.0, $0.1)) }
    try Data(field(1, 4) + field(2, description) + type).write(to: folder.url.appending(path: name))
  }

  /// A `DictVectorizer` with these keys.
  static func vectorizer(_ keys: [String]) -> [UInt8] { field(603, field(1, texts(keys))) }

  /// A `OneHotEncoder` with these categories.
  static func oneHotEncoder(_ categories: [String]) -> [UInt8] { field(600, field(1, texts(categories))) }

  /// A `CategoricalMapping` from strings to integers.
  static func mapping(_ entries: [(String, UInt64)]) -> [UInt8] {
    field(606, field(1, entries.flatMap { field(1, field(1, Array($0.0.utf8)) + field(2, $0.1)) }))
  }

  private static func texts(_ texts: [String]) -> [UInt8] { texts.flatMap { field(1, Array($0.utf8)) } }

  static func varint(_ value: UInt64) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
  }
  static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { varint(number << 3) + varint(value) }
  static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes
  }
}
