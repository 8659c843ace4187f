import Foundation
import Synchronization

/// What happens on a channel. ``code`` is stable; what goes with it may grow.
public enum ChannelEvent: Sendable, Hashable {
  /// A host is asked for the newest manifest: its name, or the folder where it is none.
  case asking(host: String)
  /// The host was asked: the version of the manifest that counts, and whether it is new.
  case checked(version: Int, isNew: Bool)
  /// A later trust root is believed from now on.
  case rootAccepted(version: Int)
  /// Something is amiss that stops nothing yet: the warning, and a sentence for people.
  case warned(DeliveryWarning.Code, message: String)
  /// A release is to be fetched: so many bytes, whole or as a delta. Files that are here already are not fetched.
  case fetching(model: String, release: Int, bytes: Int64, isDelta: Bool)
  /// So many bytes of a release are here, of all that are to be fetched.
  case progress(model: String, release: Int, received: Int64, total: Int64)
  /// A release is here, and is compiled, loaded and tried.
  case trying(model: String, release: Int)
  /// A delta cannot be used; the whole is fetched instead.
  case deltaFailed(model: String, release: Int, reason: DeliveryError.Code)
  /// A release is verified, compiled, tried and in the store.
  case installed(model: String, release: Int)
  /// New predictions go to another model; nil: to the one that came with the software.
  case switched(model: String, from: Int?, to: Int?)
  /// A new model has proved itself; those before it may go.
  case proven(model: String, release: Int)
  /// A model that was switched to, or was about to be, is left and blocked; without a number, one that was trained on this device.
  case rolledBack(model: String, release: Int?, reason: RollbackReason)
  /// A model that is installed cannot be loaded now.
  case loadFailed(model: String, release: Int?, reason: String)
  /// A check, an update of a model, or a record failed.
  case failed(model: String?, reason: DeliveryError.Code, message: String)
  /// A model that was trained on this device answers from now on; the release that it was trained from, nil: what came with the software.
  case personalised(model: String, release: Int?)
  /// What was trained on this device was removed.
  case personalDiscarded(model: String)
  /// A model was removed from the store.
  case removed(model: String, tree: String)

  /// What happened, in a word such as `channel.installed`.
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

  /// The stable word for why, where there is a why.
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

/// Tells events to whoever listens, and counts them for metrics systems.
final class ChannelEvents: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<ChannelEvent>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// A listener that is slow misses the oldest.
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

  func tell(_ event: ChannelEvent) {
    DeliveryMetrics.count(event)
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  deinit { for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() } }
}
