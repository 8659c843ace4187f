/// Why a request has no answer. Each protocol maps the code to a status of its own.
package struct ServingError: Error, Sendable, Equatable {
  package enum Code: String, Sendable, CaseIterable {
    /// The request is wrong and will not succeed later: HTTP 400, gRPC INVALID_ARGUMENT.
    case invalidArgument = "serving.invalid-argument"
    /// There is no model, version, sequence or path of this name: 404, NOT_FOUND.
    case notFound = "serving.not-found"
    /// The body or a tensor exceeds a limit: 413, RESOURCE_EXHAUSTED.
    case tooLarge = "serving.too-large"
    /// A queue or a memory budget is full: 429 with Retry-After, RESOURCE_EXHAUSTED.
    case exhausted = "serving.exhausted"
    /// The model is not ready, or the server is draining: 503, UNAVAILABLE.
    case unavailable = "serving.unavailable"
    /// The client's own time is over: 504, DEADLINE_EXCEEDED.
    case deadlineExceeded = "serving.deadline-exceeded"
    /// The client went away: 499, CANCELLED.
    case cancelled = "serving.cancelled"
    /// The server does not implement the function: 501, UNIMPLEMENTED.
    case unsupported = "serving.unsupported"
    /// No valid token: 401, UNAUTHENTICATED.
    case unauthenticated = "serving.unauthenticated"
    /// The token does not allow the function: 403, PERMISSION_DENIED.
    case forbidden = "serving.forbidden"
    /// The prediction failed for a reason that is not the request's: 500, INTERNAL.
    case failed = "serving.failed"
  }

  package var code: Code
  /// One sentence: what was expected, and what was found.
  package var message: String
  /// When a refused request may succeed: the expected wait.
  package var retryAfter: Duration?

  package init(_ code: Code, _ message: String, retryAfter: Duration? = nil) {
    (self.code, self.message, self.retryAfter) = (code, message, retryAfter)
  }
}
