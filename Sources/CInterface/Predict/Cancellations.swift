// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CCoreMLRuntime
import CoreMLBase
import CoreMLRuntime
import MIL
import Synchronization

/// A switch that stops the calls that use it.
// Sendable: the mutable state is behind the lock
final class CancellationHandle: Handle, @unchecked Sendable {
  override class var typeName: String { "coreml_cancellation" }

  private let cancellation = Cancellation()
  private let listeners = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

  func cancel() {
    cancellation.cancel()
    for listener in listeners.withLock({ Array($0.values) }) { listener() }
  }

  /// Runs a prediction that polls the switch.
  func during<Result>(_ call: Call, _ body: () throws -> Result) throws -> Result {
    guard !cancellation.isCancelled else { throw call.failure(.cancelled, "it was cancelled before it began") }
    return try cancellation.during(body)
  }

  /// Runs work that needs a callback to stop. `stop` runs when the switch is turned on, immediately if it already is.
  func telling<Result>(_ stop: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result {
    let key = Token()
    listeners.withLock { $0[ObjectIdentifier(key)] = stop }
    defer { listeners.withLock { $0[ObjectIdentifier(key)] = nil } }
    if cancellation.isCancelled { stop() }
    return try body()
  }

  private final class Token {}
}

@c @implementation
public func coreml_cancellation_create(
  _ cancellation: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> coreml_status {
  Call("coreml_cancellation_create", error).make(cancellation, "cancellation") { _ in CancellationHandle() }
}

@c @implementation
public func coreml_cancel(_ cancellation: OpaquePointer?) {
  Call.handle(cancellation, as: CancellationHandle.self)?.cancel()
}
