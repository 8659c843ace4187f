import CoreMLDelivery
import Foundation
import Synchronization

/// Shows what a channel does to people: a progress bar while it works, and a sentence for each failure.
final class EventPrinter: Sendable {
  private struct State {
    /// Nil at the end, when results replace the bar.
    var bar: ProgressBar? = ProgressBar("Looking at the models that are here", total: nil)
    var shown: Int64 = 0
    /// The model that is downloading. Models that arrived earlier may be tried meanwhile.
    var fetching: String?
    /// Several models may be tried at the same time.
    var trying: [(model: String, release: Int)] = []
  }

  private let state = Mutex(State())

  /// Reports events of a channel while the body runs.
  static func during<Result>(_ channel: ModelChannel, _ body: () throws -> Result) rethrows -> Result {
    let end = listen(to: channel)
    defer { end() }
    return try body()
  }

  static func during<Result: Sendable>(
    _ channel: ModelChannel, _ body: @Sendable () async throws -> Result
  ) async rethrows -> Result {
    let end = listen(to: channel)
    defer { end() }
    return try await body()
  }

  private static func listen(to channel: ModelChannel) -> () -> Void {
    let (events, teller) = (channel.events(), EventPrinter())
    let listener = Task { for await event in events { teller.tell(event) } }
    return {
      listener.cancel()
      teller.state.withLock { $0.bar = nil }
    }
  }

  func tell(_ event: ChannelEvent) {
    state.withLock { show(event, &$0) }
    switch event {
    case .failed(_, .damagedModel, let message): Console.complain(message)
    case .rolledBack(let model, let release, let reason):
      Console.complain("\(model): release \(release ?? 0) is left: \(reason.rawValue)")
    case .fetching(let model, let release, let bytes, let isDelta) where Console.errorIsTerminal:
      Console.complain(
        "\(model): fetching release \(release)\(isDelta ? " as a delta" : ""), \(Console.bytes(Int(bytes)))")
    case .deltaFailed(let model, _, let reason) where Console.errorIsTerminal:
      Console.complain("\(model): the delta cannot be used (\(reason.rawValue)); fetching the whole")
    default: break
    }
  }

  // MARK: the bar

  private func show(_ event: ChannelEvent, _ state: inout State) {
    switch event {
    case .asking(let host): state.bar?.turn(to: "Asking \(host)")
    case .checked: state.bar?.turn(to: "Looking at what is offered")
    case .fetching(let model, let release, let bytes, _):
      (state.fetching, state.shown) = (model, 0)
      state.bar?.turn(to: "Fetching \(model), release \(release)", total: Int(exactly: bytes), unit: .bytes)
    case .progress(let model, let release, let received, let total):
      // Bytes from earlier runs must not count in the rate.
      if state.shown == 0 || received < state.shown {
        state.bar?.turn(
          to: "Fetching \(model), release \(release)", total: Int(exactly: total), unit: .bytes, before: Int(received))
      } else {
        state.bar?.advance(by: Int(received - state.shown))
      }
      state.shown = received
    case .trying(let model, let release):
      state.trying.append((model, release))
      hasCome(model, &state)
    case .installed(let model, _), .failed(let model?, _, _):
      state.trying.removeAll { $0.model == model }
      hasCome(model, &state)
    default: break
    }
  }

  private func hasCome(_ model: String, _ state: inout State) {
    if state.fetching == model { state.fetching = nil }
    guard state.fetching == nil else { return }
    let names = state.trying.map { "\($0.model), release \($0.release)" }
    state.bar?.turn(to: names.isEmpty ? "Finishing" : "Trying \(names.joined(separator: "; "))")
  }
}
