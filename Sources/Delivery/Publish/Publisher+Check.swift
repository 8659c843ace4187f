import Foundation

extension Publisher {
  /// A defect of the published tree that devices would reject.
  public struct Problem: Sendable, Equatable, CustomStringConvertible {
    /// The kind of the problem.
    public let code: DeliveryError.Code
    public let description: String

    init(_ error: DeliveryError) { (code, description) = (error.code, "\(error)") }
  }

  /// Checks the published roots, manifests and objects like a device that trusts the first root.
  ///
  /// - Parameter unpacking: also decodes every object, as a device does. This is slower.
  /// - Returns: the problems found; empty if there are none.
  public func verify(unpacking: Bool = false) throws -> [Problem] {
    try PublishedTreeCheck(files: files, now: now).problems(unpacking: unpacking)
  }

  /// Removes unreferenced data: objects in no draft and in none of the last manifests of any channel, older manifests,
  /// and leftovers of interrupted operations.
  ///
  /// - Parameters:
  ///   - keeping: the number of manifests to keep for each channel, with their objects. Devices may still be using the
  ///     last ones.
  ///   - dryRun: removes nothing.
  /// - Returns: the removed paths, relative to the folder, and their total size in bytes.
  public func collectGarbage(keeping: Int = 3, dryRun: Bool = false) throws -> (paths: [String], bytes: Int64) {
    try PublisherGarbage(files: files).collect(keeping: keeping, dryRun: dryRun)
  }
}
