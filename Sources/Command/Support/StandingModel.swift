import CoreMLDelivery
import Foundation

/// What stands where a model is to be written. Only a model, or an empty folder, is replaced.
enum StandingModel {
  /// Files of which every model of a kind has one.
  private static let marks = ["mlmodelc": ["coremldata.bin", "metadata.json"], "mlpackage": ["Manifest.json"]]

  /// Throws where a folder, or a file in a folder's place, stands at `url` that is no model of the kind that its name says.
  static func requireReplaceable(_ url: URL) throws {
    let kind = url.pathExtension.lowercased()
    var status = stat()
    guard let marks = marks[kind], lstat(url.path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return }
    let names = try? FileManager.default.contentsOfDirectory(atPath: url.path)
    guard names?.isEmpty != true, !marks.contains(where: { names?.contains($0) == true }),
      !EncryptedModel.isEncrypted(url)
    else { return }
    throw Failure(
      .cannotWrite,
      "\(url.path): expected nothing or a model to replace, found \(names == nil ? "a file" : "a folder") that is no .\(kind)")
  }
}
