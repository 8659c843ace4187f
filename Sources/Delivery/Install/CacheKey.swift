import CoreMLBase
import CoreMLRuntime
import Foundation

/// The inputs that a cached item depends on; nil for those that do not apply.
struct CacheKey {
  /// The ``TreeDigest`` of the model.
  var model: String
  /// The version and build of the runtime that created the item.
  var runtime: String
  /// The model's name, if the item contains it.
  var name: String?
  var device: String?
  var driver: String?
  var configuration: String?

  /// The key of a compiled model. It is portable, so devices are not part of it.
  static func compiled(_ model: String, named name: String, runtime: String) -> CacheKey {
    CacheKey(model: model, runtime: runtime, name: name)
  }

  /// The key of a device-specific result for a model.
  ///
  /// - Throws: `MLModelError` if the configuration names a device that does not exist.
  static func onDevice(_ model: String, runtime: String, _ configuration: MLModelConfiguration) throws -> CacheKey {
    let identity = try DeviceIdentity(configuration)
    return CacheKey(
      model: model, runtime: runtime, device: identity.device, driver: identity.driver,
      configuration: configuration.identity)
  }

  /// The key as a file name.
  var text: String {
    var sha = SHA256Digest()
    for field in [model, runtime] { sha.append(field: field) }
    for field in [name, device, driver, configuration] {
      // Distinguishes an absent field from an empty one.
      sha.append(field: field == nil ? "absent" : "present")
      sha.append(field: field ?? "")
    }
    return sha.hexadecimal()
  }
}
