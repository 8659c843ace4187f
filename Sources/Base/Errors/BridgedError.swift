import Foundation

/// An error that casts to and from `NSError`, as the errors of Apple's frameworks do: `catch let error as NSError` matches it.
///
/// Swift on Linux casts only types that bridge. The compiler takes such a `catch` for exhaustive all the same. Without the bridge the cast
/// fails at run time, and the program crashes or hangs.
public protocol BridgedError: CustomNSError, LocalizedError, _ObjectiveCBridgeable where _ObjectiveCType == NSError {
  /// The error that an `NSError` of the domain `errorDomain` stands for; nil for an error of another domain or of an unknown code.
  init?(bridging error: NSError)
}

extension BridgedError {
  /// An `NSError` with the domain, the code and the user info of the error.
  public func _bridgeToObjectiveC() -> NSError {
    NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
  }

  /// Casts that are forced.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout Self?) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  /// Casts with `as?`, `is`, `catch` and `case`.
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout Self?) -> Bool {
    result = Self(bridging: source)
    return result != nil
  }

  /// Casts where the type is known to fit.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> Self {
    guard let source, let error = Self(bridging: source) else {
      preconditionFailure("\(source.map { "\($0)" } ?? "no error") is not a \(Self.self)")
    }
    return error
  }
}

/// An error of this package: a stable word for a code, and a sentence.
///
/// As an `NSError` it has the code 1, and a user info with the sentence (`NSLocalizedDescriptionKey`), the word (`CodedErrorKey.code`) and,
/// where it has one, the file (`NSFilePathErrorKey`).
public protocol CodedError: BridgedError, CustomStringConvertible {
  /// What the stable words of the type are kept in.
  associatedtype Code: RawRepresentable where Code.RawValue == String
  /// The stable word for the kind of the error.
  var code: Code { get }
  /// The file at fault, where there is one.
  var file: String? { get }
  /// The error beneath, where there is one.
  var cause: (any Error)? { get }

  /// An error as its `NSError` describes it.
  init(word: String, message: String, file: String?, cause: (any Error)?)
}

/// Keys in the user info of errors of this package.
public enum CodedErrorKey {
  /// The stable word for the kind of an error.
  public static let code = "CoreMLErrorCode"
}

extension CodedError {
  /// No file.
  public var file: String? { nil }
  /// No error beneath.
  public var cause: (any Error)? { nil }

  /// The sentence.
  public var errorDescription: String? { description }
  /// 1: the stable word tells one kind from another.
  public var errorCode: Int { 1 }
  /// The sentence, the word, the file and the error beneath.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description, CodedErrorKey.code: code.rawValue]
    if let file { info[NSFilePathErrorKey] = file }
    if let cause { info[NSUnderlyingErrorKey] = cause }
    return info
  }

  /// The error that an `NSError` with a word and a sentence stands for.
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
  /// An error as its `NSError` describes it.
  public init(word: String, message: String, file: String?, cause: (any Error)?) {
    self.init(Code(rawValue: word), message, file: file, cause: cause)
  }
}
