import Foundation

/// The report of a channel's events and errors to its listeners.
struct ChannelLog: Sendable {
  let events: ChannelEvents
  /// Paths in this folder are replaced by the model's name in errors.
  let staging: URL

  func send(_ event: ChannelEvent) { events.send(event) }

  func report(_ error: any Error, model: String?) {
    let error = (error as? DeliveryError).map { $0.naming(model ?? "a model", copiedTo: staging) } ?? error
    let code = (error as? DeliveryError)?.code ?? DeliveryError.Code(rawValue: "delivery.failed")
    send(.failed(model: model, reason: code, message: "\(error)"))
  }
}
