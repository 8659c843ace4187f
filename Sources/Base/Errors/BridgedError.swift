import Foundation

/// An error that casts to and from `NSError`, like the errors of Apple's frameworks: `catch let error as NSError`
/// matches it.
///
/// On Linux, Swift casts only types that bridge. The compiler nevertheless treats such a `catch` as exhaustive. Without
/// the bridge the cast fails at run time, and the program crashes or hangs.
public protocol BridgedError: CustomNSError, LocalizedError, _ObjectiveCBridgeable where _ObjectiveCType == NSError {
  /// The error for an `NSError` with the domain `errorDomain`; nil for another domain or an unknown code.
  init?(bridging error: NSError)
}

extension BridgedError {
  /// An `NSError` with the error's domain, code and user info.
  public func _bridgeToObjectiveC() -> NSError {
    NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
  }

  /// Forced casts.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  /// Casts with `as?`, `is`, `catch` and `case`.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
    result = Self(bridging: source)
    return result != nil
  }

  /// Casts with a type known to match.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
    guard let source, let error = Self(bridging: source) else {
      preconditionFailure("\(source.map { "\($0)" } ?? "no error") is not a \(Self.self)")
    }
    return error
  }
}

/// An error of this package: a stable code string, and a sentence.
///
/// As an `NSError` it has the code 1. Its user info has the sentence (`NSLocalizedDescriptionKey`), the code string
/// (`CodedErrorKey.code`) and the file, if any (`NSFilePathErrorKey`).
public protocol CodedError: BridgedError, CustomStringConvertible {
  /// The type of the code strings.
  associatedtype Code: RawRepresentable where Code.RawValue == String
  /// The stable code string of the error.
  var code: Code { get }
  /// The file that caused the error, if any.
  var file: String? { get }
  /// The underlying error, if any.
  var cause: (any Error)? { get }

  /// Creates the error from its representation as an `NSError`.
  init(word: String, message: String, file: String?, cause: (any Error)?)
}

/// Keys in the user info of errors of this package.
public enum CodedErrorKey {
  /// The stable code string of an error.
  public static let code = "CoreMLErrorCode"
}

extension CodedError {
  /// No file.
  public var file: String? { nil }
  /// No underlying error.
  public var cause: (any Error)? { nil }

  /// The sentence.
  public var errorDescription: String? { description }
  /// Always 1. The code string distinguishes errors.
  public var errorCode: Int { 1 }
  /// The sentence, the code string, the file and the underlying error.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description, CodedErrorKey.code: code.rawValue]
    if let file { info[NSFilePathErrorKey] = file }
    if let cause { info[NSUnderlyingErrorKey] = cause }
    return info
  }

  /// The error for an `NSError` with a code string and a sentence.
  public init?(bridging error: NSError) {
    guard error.domain == Self.errorDomain, let word = error.userInfo[CodedErrorKey.code] as? String else { return nil }
    let file = error.userInfo[NSFilePathErrorKey] as? String
    let sentence = error.localizedDescription
    let start = file.map { "\($0): " } ?? ""
    let message = sentence.hasPrefix(start) ? String(sentence.dropFirst(start.count)) : sentence
    self.init(word: word, message: message, file: file, cause: error.userInfo[NSUnderlyingErrorKey] as? any Error)
  }
}

extension RuntimeError: CodedError {
  /// Creates the error from its representation as an `NSError`.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message, file: file, cause: cause)
  }
}
