/// A source of model collections. The module that delivers models registers one, so `MLModelCollection` does not depend
/// on delivery.
package protocol ModelCollectionSource: AnyObject, Sendable {
  /// The collection as it is on disk; nil if the source does not know it.
  func collection(_ identifier: String) throws -> MLModelCollection?
  /// Fetches newer models.
  func fetch() async throws
  /// The identifier of each model, at the time that it switches.
  func switches() -> AsyncStream<String>
}
