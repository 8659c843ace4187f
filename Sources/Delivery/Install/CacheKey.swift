import CoreMLBase
import CoreMLRuntime
import Foundation

/// What something kept in the cache depends on; nil where it does not.
struct CacheKey {
  /// ``TreeDigest`` of the model.
  var model: String
  /// The version of the runtime that made it, and which build of it.
  var runtime: String
  /// The model's name, where the thing bears it.
  var name: String?
  var device: String?
  var driver: String?
  var configuration: String?

  /// A compiled model: it is portable, devices have no part in it.
  static func compiled(_ model: String, named name: String, runtime: String) -> CacheKey {
    CacheKey(model: model, runtime: runtime, name: name)
  }

  /// What a device makes of a model.
  ///
  /// - Throws: `MLModelError` when the configuration names a device that there is none of.
  static func onDevice(_ model: String, runtime: String, _ configuration: MLModelConfiguration) throws -> CacheKey {
    let identity = try DeviceIdentity(configuration)
    return CacheKey(
      model: model, runtime: runtime, device: identity.device, driver: identity.driver,
      configuration: configuration.identity)
  }

  /// A name for files.
  var text: String {
    var sha = SHA256Digest()
    for field in [model, runtime] { sha.append(field: field) }
    for field in [name, device, driver, configuration] {
      // What is absent differs from what is empty.
      sha.append(field: field == nil ? "absent" : "present")
      sha.append(field: field ?? "")
    }
    return sha.hexadecimal()
  }
}
