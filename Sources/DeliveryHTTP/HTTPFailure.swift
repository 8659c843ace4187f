import AsyncHTTPClient
import CoreMLDelivery
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Translates errors of the HTTP client.
enum HTTPFailure {
  /// - Parameter isBody: whether the response had begun.
  static func translate(_ error: any Error, url: URL, isBody: Bool) -> any Error {
    let name = url.display
    func failure(_ code: DeliveryError.Code, _ what: String) -> DeliveryError {
      DeliveryError(code, "\(name): \(what)")
    }
    switch error {
    case is DeliveryError, is CancellationError: return error
    case let error as HTTPClientError: return translate(error, name, isBody)
    case is NIOConnectionError: return failure(.unreachable, "no connection: \(plain(error))")
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
      return failure(
        isBody ? .cutShort : .untrustedHost,
        "the host cannot be trusted, or speaks no TLS that we accept: \(plain(error))")
    case let error as IOError:
      return isBody || error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
        ? failure(.cutShort, "the connection broke: \(String(cString: strerror(error.errnoCode)))")
        : failure(.unreachable, "no connection: \(String(cString: strerror(error.errnoCode)))")
    case is ChannelError: return failure(isBody ? .cutShort : .unreachable, "no connection: \(plain(error))")
    case HTTPParserError.invalidEOFState:
      return failure(.cutShort, "the connection ended before the answer did")
    case is TooManyInterimAnswers:
      return failure(
        .badResponse, "the host sends more than \(InterimAnswers.limit) interim answers (1xx) before its answer")
    case is HTTPParserError: return failure(.badResponse, "the answer is no HTTP: \(plain(error))")
    default: return failure(isBody ? .cutShort : .unreachable, "the request failed: \(plain(error))")
    }
  }

  private static func translate(_ error: HTTPClientError, _ name: String, _ isBody: Bool) -> DeliveryError {
    func failure(_ code: DeliveryError.Code, _ what: String) -> DeliveryError {
      DeliveryError(code, "\(name): \(what)")
    }
    switch error {
    case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
      return failure(.timedOut, "no connection in the time allowed")
    case .deadlineExceeded: return failure(.timedOut, "no answer in the time allowed")
    case .readTimeout: return failure(.stalled, "nothing came in the time allowed")
    case .remoteConnectionClosed, .uncleanShutdown, .cancelled, .requestStreamCancelled:
      return failure(.cutShort, "the connection ended before the answer did")
    case .proxyAuthenticationRequired: return failure(.proxy, "the proxy asks for a name and a password")
    case .invalidProxyResponse: return failure(.proxy, "the proxy refuses the connection")
    case .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
      return failure(.timedOut, "no answer from the proxy in the time allowed")
    case .invalidURL, .emptyHost, .emptyScheme: return failure(.unsupportedURL, "expected an https URL with a host")
    default: return failure(.badResponse, "\(error.shortDescription)")
    }
  }

  private static func plain(_ error: any Error) -> String { String("\(error)".prefix(300)) }
}
