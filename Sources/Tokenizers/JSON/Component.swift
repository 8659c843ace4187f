/// An object of a `tokenizer.json`, with its path for messages.
struct Component {
  /// Such as `pre_tokenizer.pretokenizers[1]`.
  let path: String
  private let members: [JSONValue.Member]

  init(_ value: JSONValue, path: String) throws {
    guard case .object(let members) = value else {
      throw TokenizerError(.invalid, "\(path): expected an object, found \(value.kind)")
    }
    (self.path, self.members) = (path, members)
  }

  /// The value of a key; nil if it is missing or null.
  func value(_ key: String) -> JSONValue? {
    guard let value = members.last(where: { $0.key.elementsEqual(key.utf8) })?.value else { return nil }
    if case .null = value { return nil }
    return value
  }

  func has(_ key: String) -> Bool { members.contains { $0.key.elementsEqual(key.utf8) } }

  /// The component's type, such as `ByteLevel`.
  func type() throws -> String { try string("type") }

  func component(_ key: String) throws -> Component? { try value(key).map { try Component($0, path: place(key)) } }

  func components(_ key: String) throws -> [Component] {
    let values = try array(key)
    guard values.count <= TokenizerLimits.components else {
      throw TokenizerError(
        .limit, "\(place(key)) has \(values.count) parts, expected at most \(TokenizerLimits.components)")
    }
    return try values.enumerated().map { try Component($1, path: "\(place(key))[\($0)]") }
  }

  func string(_ key: String) throws -> String { String(decoding: try bytes(key), as: UTF8.self) }

  func bytes(_ key: String) throws -> [UInt8] {
    guard let value = value(key) else { throw missing(key, "a string") }
    guard case .string(let bytes) = value else { throw mismatch(key, "a string", value) }
    return bytes
  }

  func optionalBytes(_ key: String) throws -> [UInt8]? { value(key) == nil ? nil : try bytes(key) }

  func bool(_ key: String, default fallback: Bool) throws -> Bool {
    guard let value = value(key) else { return fallback }
    guard case .bool(let flag) = value else { throw mismatch(key, "a Boolean", value) }
    return flag
  }

  func integer(_ key: String) throws -> Int {
    guard let value = value(key) else { throw missing(key, "an integer") }
    guard let integer = value.integer else { throw mismatch(key, "an integer", value) }
    return integer
  }

  /// A token id.
  func id(_ key: String) throws -> Int {
    let id = try integer(key)
    guard (0..<TokenizerLimits.vocabulary).contains(id) else {
      throw TokenizerError(
        .invalid, "\(place(key)): expected a token id below \(TokenizerLimits.vocabulary), found \(id)")
    }
    return id
  }

  func array(_ key: String) throws -> [JSONValue] {
    guard let value = value(key) else { throw missing(key, "an array") }
    guard case .array(let values) = value else { throw mismatch(key, "an array", value) }
    return values
  }

  func object(_ key: String) throws -> [JSONValue.Member] {
    guard let value = value(key) else { throw missing(key, "an object") }
    guard case .object(let members) = value else { throw mismatch(key, "an object", value) }
    return members
  }

  /// A string with exactly one Unicode scalar.
  func scalar(_ key: String) throws -> Unicode.Scalar {
    let scalars = try string(key).unicodeScalars
    guard scalars.count == 1, let scalar = scalars.first else {
      throw TokenizerError(.invalid, "\(place(key)): expected one character, found \(scalars.count)")
    }
    return scalar
  }

  /// An error about a part that is not supported.
  func unsupported(_ what: String) -> TokenizerError {
    TokenizerError(.unsupported, "\(path): \(what) is not supported")
  }

  func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  private func missing(_ key: String, _ expected: String) -> TokenizerError {
    TokenizerError(.invalid, "\(place(key)): expected \(expected), found nothing")
  }

  private func mismatch(_ key: String, _ expected: String, _ value: JSONValue) -> TokenizerError {
    TokenizerError(.invalid, "\(place(key)): expected \(expected), found \(value.kind)")
  }
}
