import CoreML
import CoreMLBase
import CoreMLDelivery
import Foundation

/// A model of a channel that this user follows: REPOSITORY:CHANNEL:MODEL.
package struct FollowedModel: Sendable {
  private let channel: ModelChannel
  /// The model's name in its channel.
  package let name: String

  /// Nil if the word does not name a model of a followed channel. Uses no network.
  package init?(
    _ word: String, key: ModelKeySource? = nil,
    configuration: @escaping @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }
  ) throws {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, !word.contains("/"), !FileManager.default.fileExists(atPath: word) else { return nil }
    let directories = try DeliveryDirectories()
    guard let followed = try FollowedChannels(directories).all().first(where: { $0.name == "\(parts[0]):\(parts[1])" })
    else { return nil }
    try directories.makeCache()
    var options = followed.options(directories, runtimeVersion: PackageVersion.current)
    options.configuration = configuration
    options.key = key
    options.trials.requiresHelper = true
    (channel, name) = (try ModelChannel(options), parts[2])
  }

  /// The model as in a program that follows the channel: predictions are counted, and the last good version replaces a
  /// bad one.
  package func managed() throws -> ManagedModel { try channel.model(name) }

  /// The compiled form of the version that answers.
  ///
  /// - Parameter leases: keeps its files on disk.
  package func compiled(_ leases: ModelLeases) throws -> URL {
    let (url, found) = try channel.compiledModel(name)
    for lease in found { leases.keep(lease) }
    return url
  }
}
