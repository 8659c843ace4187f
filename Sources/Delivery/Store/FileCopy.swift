import CoreMLBase
import CoreMLSpec
import Foundation

/// Copies of files and models.
enum FileCopy {
  /// Copies one file and creates the folders of its target.
  static func copy(_ source: URL, to target: URL) throws {
    try DeliveryDirectories.makeFolder(target.deletingLastPathComponent())
    do {
      let bytes = try Bytes.mapping(file: source.path)
      let writer = try FileWriter(path: target.path)
      try bytes.withUnsafeBytes { bytes in
        // Written in chunks, so that the mapped file need not be resident as a whole.
        var rest = bytes[...]
        while !rest.isEmpty {
          try writer.append(UnsafeRawBufferPointer(rebasing: rest.prefix(8 << 20)))
          rest = rest.dropFirst(8 << 20)
        }
      }
      try writer.commit()
    } catch let error as SpecError {
      throw DeliveryError(error.code == .unwritable ? .unwritable : .unreadable, error.message, file: error.file)
    }
  }

  /// Copies a model, which is a file or a folder. Links are followed.
  static func copy(model: URL, to target: URL) throws {
    for entry in try ModelContents(of: model).entries {
      try copy(
        entry.path.isEmpty ? model : model.appending(path: entry.path),
        to: entry.path.isEmpty ? target : target.appending(path: entry.path))
    }
  }
}
