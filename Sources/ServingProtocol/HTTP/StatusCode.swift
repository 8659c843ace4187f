import CoreMLServingInterface

extension ServingError {
  /// The HTTP status of the error.
  package var httpStatus: Int {
    switch code {
    case .invalidArgument: 400
    case .unauthenticated: 401
    case .forbidden: 403
    case .notFound: 404
    case .tooLarge: 413
    case .exhausted: 429
    case .cancelled: 499
    case .failed: 500
    case .unsupported: 501
    case .unavailable: 503
    case .deadlineExceeded: 504
    }
  }

  /// The value of `Retry-After`: whole seconds, at least one; nil if there is none to send.
  package var retryAfterSeconds: Int? {
    guard code == .exhausted || code == .unavailable else { return nil }
    guard let retryAfter else { return 1 }
    let parts = retryAfter.components
    return Int(clamping: max(1, parts.seconds + (parts.attoseconds > 0 ? 1 : 0)))
  }
}
