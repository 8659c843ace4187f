import CCoreMLRuntime
import Foundation

/// One call of a C function. Checks its arguments, and converts a thrown error to a status and an error handle.
struct Call {
  private let function: StaticString
  private let error: UnsafeMutablePointer<OpaquePointer?>?

  init(_ function: StaticString, _ error: UnsafeMutablePointer<OpaquePointer?>?) {
    self.function = function
    self.error = error
    error?.pointee = nil
  }

  /// Runs the body of the function.
  func run(_ body: (Call) throws -> Void) -> coreml_status {
    do {
      try body(self)
      return coreml_status(COREML_OK)
    } catch {
      let handle = ErrorHandle(error)
      self.error?.pointee = handle.reference
      return handle.status
    }
  }

  /// The same for a function that returns a handle. On failure `out` is null.
  func make(_ out: UnsafeMutablePointer<OpaquePointer?>?, _ argument: StaticString, _ body: (Call) throws -> Handle)
    -> coreml_status
  {
    out?.pointee = nil
    return run { call in
      let out = try call.present(out, argument)
      out.pointee = try body(call).reference
    }
  }

  func failure(_ code: InterfaceError.Code, _ sentence: String) -> InterfaceError {
    InterfaceError(code, "\(function): \(sentence)")
  }

  // MARK: arguments

  func present<Value>(_ pointer: Value?, _ argument: StaticString) throws -> Value {
    guard let pointer else { throw failure(.null, "the argument '\(argument)' is null") }
    return pointer
  }

  func handle<H: Handle>(_ pointer: OpaquePointer?, _ argument: StaticString, as type: H.Type = H.self) throws -> H {
    let object = Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(try present(pointer, argument))).takeUnretainedValue()
    guard let handle = object as? H else {
      throw failure(
        .handle, "the argument '\(argument)' is a \(Swift.type(of: object).typeName), expected a \(type.typeName)")
    }
    return handle
  }

  /// A handle that may be null.
  func optional<H: Handle>(_ pointer: OpaquePointer?, _ argument: StaticString, as type: H.Type = H.self) throws -> H? {
    try pointer.map { try handle($0, argument) }
  }

  /// For functions without an error argument: nil for null and for a handle of another kind.
  static func handle<H: Handle>(_ pointer: OpaquePointer?, as type: H.Type) -> H? {
    pointer.flatMap { Unmanaged<Handle>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() as? H }
  }

  func text(_ pointer: UnsafePointer<CChar>?, _ argument: StaticString) throws -> String {
    guard let text = String(validatingCString: try present(pointer, argument)) else {
      throw failure(.text, "the argument '\(argument)' is not UTF-8")
    }
    return text
  }

  func text(_ pointer: UnsafePointer<CChar>?, count: Int, _ argument: StaticString) throws -> String {
    let bytes = UnsafeRawBufferPointer(try elements(pointer, count, argument))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure(.text, "the argument '\(argument)' is not UTF-8")
    }
    return text
  }

  /// An array of the caller. Its pointer may be null only if the count is 0.
  func elements<Element>(_ pointer: UnsafePointer<Element>?, _ count: Int, _ argument: StaticString) throws
    -> UnsafeBufferPointer<Element>
  {
    guard count != 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
    // The address space has 47 bits.
    guard count > 0, count <= (1 << 47) / max(MemoryLayout<Element>.stride, 1) else {
      throw failure(.size, "the count of '\(argument)' is \(UInt(bitPattern: count)), more than memory can hold")
    }
    return UnsafeBufferPointer(start: try present(pointer, argument), count: count)
  }

  func texts(_ pointer: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ argument: StaticString) throws
    -> [String]
  {
    try elements(pointer, count, argument).map { try text($0, argument) }
  }

  func path(_ pointer: UnsafePointer<CChar>?, _ argument: StaticString) throws -> URL {
    let path = try text(pointer, argument)
    guard !path.isEmpty else { throw failure(.value, "the argument '\(argument)' is empty, expected a path") }
    return URL(fileURLWithPath: path)
  }

  /// A copy that the caller owns and frees with `coreml_free`.
  func copy(_ text: String) throws -> UnsafeMutablePointer<CChar> {
    guard let copy = strdup(text) else {
      throw failure(.memory, "there is no memory for a text of \(text.utf8.count) bytes")
    }
    return copy
  }

  /// JSON that the caller owns and frees with `coreml_free`.
  func json(_ value: some Encodable) throws -> UnsafeMutablePointer<CChar> { try copy(Self.json(value)) }

  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
