/// Where collections of models come from: what delivers models is registered as one, so that `MLModelCollection` stands beside the other
/// classes and knows nothing of delivery.
package protocol ModelCollectionSource: AnyObject, Sendable {
  /// A collection as it stands here; nil where it is not known.
  func collection(_ identifier: String) throws -> MLModelCollection?
  /// Fetches what is newer.
  func fetch() async throws
  /// The identifiers of models that switch, as they do.
  func switches() -> AsyncStream<String>
}
