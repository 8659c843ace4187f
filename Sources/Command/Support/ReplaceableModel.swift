import CoreMLDelivery
import CoreMLSpec
import Foundation

extension ReplaceableModel {
  /// Throws if `url` exists and is not a model of the kind that its suffix names.
  static func requireReplaceable(_ url: URL) throws {
    guard !EncryptedModel.isEncrypted(url), let found = obstacle(at: url.path, to: url.pathExtension.lowercased())
    else {
      return
    }
    throw Failure(.cannotWrite, "\(url.path): expected nothing or a model to replace, found \(found)")
  }
}
