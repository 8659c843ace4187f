import CoreMLDelivery
import Foundation

extension ModelChannel {
  /// The model version that answers, for people. Without a number it is not a release.
  nonisolated func answer(_ number: Int?, of model: String) -> String {
    if let number { return "release \(number)" }
    return hasBaseline(model) ? "the model that came with the software" : "no model"
  }
}

extension ChannelOptionsGroup {
  /// The channel of a model, and the model's name in it. The word is `Things`, or `shop:stable:Things` as in `runtime
  /// predict`.
  func open(model word: String) throws -> (channel: ModelChannel, model: String) {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return (try open(), word) }
    let channels = try FollowedChannels(DeliveryDirectories())
    let named = try channels.channel("\(parts[0]):\(parts[1])")
    if let channel, try channels.channel(channel).name != named.name {
      throw Failure(.usage, "--channel is \(channel), expected the channel of '\(word)', or no --channel")
    }
    return (try open(named), parts[2])
  }
}
