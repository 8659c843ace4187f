import CoreMLServingInterface
import GRPCCore

/// Errors are answered with the status of their code, their sentence, and the code in the metadata.
extension ServingError: RPCErrorConvertible {
  package var rpcErrorCode: RPCError.Code {
    switch code {
    case .invalidArgument: .invalidArgument
    case .notFound: .notFound
    case .tooLarge, .exhausted: .resourceExhausted
    case .unavailable: .unavailable
    case .deadlineExceeded: .deadlineExceeded
    case .cancelled: .cancelled
    case .unsupported: .unimplemented
    case .unauthenticated: .unauthenticated
    case .forbidden: .permissionDenied
    case .failed: .internalError
    }
  }

  package var rpcErrorMessage: String { message }

  package var rpcErrorMetadata: Metadata {
    var metadata: Metadata = ["error-code": .string(code.rawValue)]
    // The name that clients of gRPC with a retry policy read.
    if let retryAfter {
      let parts = retryAfter.components
      let (whole, overflow) = parts.seconds.multipliedReportingOverflow(by: 1000)
      let milliseconds = overflow ? Int64.max : whole &+ parts.attoseconds / 1_000_000_000_000_000
      metadata.addString(String(max(milliseconds, 1)), forKey: "grpc-retry-pushback-ms")
    }
    return metadata
  }
}

extension String {
  /// The version of a request: empty text is none.
  var asVersion: String? { isEmpty ? nil : self }
}
