import Foundation
import Synchronization

/// An event of a channel. ``code`` is stable; associated values may be added.
public enum ChannelEvent: Sendable, Hashable {
  /// The channel requests the newest manifest from a host. The value is the host name, or the folder of a `file:` URL.
  case asking(host: String)
  /// The check is complete: the version of the accepted manifest, and whether it is new.
  case checked(version: Int, isNew: Bool)
  /// A later trust root was accepted.
  case rootAccepted(version: Int)
  /// A problem that does not stop the operation yet: its code, and a readable message.
  case warned(DeliveryWarning.Code, message: String)
  /// The download of a release begins: the bytes to fetch, as whole files or as a delta. Files already on this device
  /// are not fetched.
  case fetching(model: String, release: Int, bytes: Int64, isDelta: Bool)
  /// The progress of a release's download: the bytes received, and the total to fetch.
  case progress(model: String, release: Int, received: Int64, total: Int64)
  /// A release was fetched; its compilation, loading and trial begin.
  case trying(model: String, release: Int)
  /// A delta cannot be used; the whole files are fetched instead.
  case deltaFailed(model: String, release: Int, reason: DeliveryError.Code)
  /// A release was verified, compiled and tried, and is in the store.
  case installed(model: String, release: Int)
  /// Later predictions use another release; nil stands for the baseline.
  case switched(model: String, from: Int?, to: Int?)
  /// A new model is proven; its predecessors may be removed.
  case proven(model: String, release: Int)
  /// A model was blocked, before or after the switch to it. The release is nil for a model trained on this device.
  case rolledBack(model: String, release: Int?, reason: RollbackReason)
  /// An installed model cannot be loaded at present.
  case loadFailed(model: String, release: Int?, reason: String)
  /// A check, a model's update or access to a record failed.
  case failed(model: String?, reason: DeliveryError.Code, message: String)
  /// A model trained on this device is in use. The release is that of its base model; nil for the baseline.
  case personalised(model: String, release: Int?)
  /// The models trained on this device were removed.
  case personalDiscarded(model: String)
  /// A model was removed from the store.
  case removed(model: String, tree: String)

  /// The event's stable identifier, such as `channel.installed`.
  public var code: String {
    switch self {
    case .asking: "channel.asking"
    case .checked: "channel.checked"
    case .rootAccepted: "channel.root-accepted"
    case .warned: "channel.warned"
    case .fetching: "channel.fetching"
    case .progress: "channel.progress"
    case .trying: "channel.trying"
    case .deltaFailed: "channel.delta-failed"
    case .installed: "channel.installed"
    case .switched: "channel.switched"
    case .proven: "channel.proven"
    case .rolledBack: "channel.rolled-back"
    case .loadFailed: "channel.load-failed"
    case .failed: "channel.failed"
    case .personalised: "channel.personalised"
    case .personalDiscarded: "channel.personal-discarded"
    case .removed: "channel.removed"
    }
  }

  /// The stable identifier of the reason, for events that have one.
  public var reason: String? {
    switch self {
    case .warned(let code, _): code.rawValue
    case .deltaFailed(_, _, let code), .failed(_, let code, _): code.rawValue
    case .rolledBack(_, _, let reason): reason.rawValue
    case .loadFailed(_, _, let reason): reason
    default: nil
    }
  }
}

/// Distributes events to the listeners and counts them for metrics systems.
final class ChannelEvents: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<ChannelEvent>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// A slow listener loses its oldest buffered events.
  func stream() -> AsyncStream<ChannelEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: ChannelEvent.self, bufferingPolicy: .bufferingNewest(1024))
    let number = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[number] = nil } }
    return stream
  }

  func send(_ event: ChannelEvent) {
    DeliveryMetrics.count(event)
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  deinit { for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() } }
}
