import CoreMLDelivery
import CoreMLSpec
import Foundation

extension ReplaceableModel {
  /// Throws where something stands at `url` that is no model of the kind that its name says.
  static func requireReplaceable(_ url: URL) throws {
    guard !EncryptedModel.isEncrypted(url), let found = obstacle(at: url.path, to: url.pathExtension.lowercased())
    else {
      return
    }
    throw Failure(.cannotWrite, "\(url.path): expected nothing or a model to replace, found \(found)")
  }
}
