import CoreML
import CoreMLBase
import CoreMLDelivery
import CoreMLModels
import Foundation

/// A model of a channel that this user follows: REPOSITORY:CHANNEL:MODEL.
struct FollowedModel {
  private let channel: ModelChannel
  /// The model's name in its channel.
  let name: String

  /// Nil if the word does not name a model of a followed channel. Uses no network.
  init?(
    _ word: String, key: ModelKeySource? = nil,
    configuration: @escaping @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }
  ) throws {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, !word.contains("/"), !FileManager.default.fileExists(atPath: word) else { return nil }
    let places = try DeliveryDirectories()
    guard let followed = try FollowedChannels(places).all().first(where: { $0.name == "\(parts[0]):\(parts[1])" })
    else { return nil }
    try places.makeCache()
    var options = followed.options(places, runtimeVersion: PackageVersion.current)
    options.configuration = configuration
    options.key = key
    options.trials.requiresHelper = true
    (channel, name) = (try ModelChannel(options), parts[2])
  }

  /// The model as in a program that follows the channel: predictions are counted, and the last good version replaces a
  /// bad one.
  func managed() throws -> ManagedModel { try channel.model(name) }

  /// The compiled form of the version that answers. A lease keeps it as long as this process lives.
  func compiled() throws -> URL {
    let (url, leases) = try channel.compiledModel(name)
    for lease in leases { ModelLeases.process.keep(lease) }
    return url
  }
}
