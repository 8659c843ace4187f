import CoreMLBase
import CoreMLImages
import Foundation

/// The error of a request or a handler: Vision's code and a sentence, with the underlying error of the model or of the
/// image.
// Sendable: immutable; the underlying error is one of this package's
public struct VNFailure: Error, CustomNSError, LocalizedError, CustomStringConvertible, @unchecked Sendable {
  /// The kind of the error.
  public let code: VNErrorCode
  /// One sentence.
  public let message: String
  /// The underlying error.
  public let underlyingError: (any Error)?

  init(_ code: VNErrorCode, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    underlyingError = underlying
  }

  init(_ error: ImageError, _ what: String? = nil) {
    let code: VNErrorCode =
      switch error.code {
      case .outOfMemory: .outOfMemory
      case .io: .ioError
      default: .invalidImage
      }
    self.init(code, what.map { "\($0): \(error.message)" } ?? error.message, underlying: error)
  }

  /// `VNErrorDomain`.
  public static var errorDomain: String { VNErrorDomain }
  /// The numeric code.
  public var errorCode: Int { code.rawValue }
  /// The message.
  public var errorDescription: String? { message }
  /// The message.
  public var description: String { message }
  /// The user info of the error as an `NSError`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let underlyingError { info[NSUnderlyingErrorKey] = underlyingError }
    return info
  }
}

extension VNFailure: BridgedError {
  /// Converts an `NSError` of the domain `VNErrorDomain`; nil for an unknown code.
  public init?(bridging error: NSError) {
    guard error.domain == VNErrorDomain, let code = VNErrorCode(rawValue: error.code) else { return nil }
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error
    self.init(code, error.localizedDescription, underlying: underlying)
  }
}
