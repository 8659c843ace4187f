import CoreMLBase
import CoreMLSpec
import Foundation

/// Copies of what stays where it is.
enum FileCopy {
  /// Copies one file, with the folders that it needs.
  static func copy(_ source: URL, to target: URL) throws {
    try DeliveryDirectories.makeFolder(target.deletingLastPathComponent())
    do {
      let bytes = try Bytes.mapping(file: source.path)
      let writer = try FileWriter(path: target.path)
      try bytes.withUnsafeBytes { bytes in
        // In pieces, so that memory need not hold it all.
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

  /// Copies a model, a file or a folder; links are followed.
  static func copy(model: URL, to target: URL) throws {
    for entry in try ModelContents(of: model).entries {
      try copy(
        entry.path.isEmpty ? model : model.appending(path: entry.path),
        to: entry.path.isEmpty ? target : target.appending(path: entry.path))
    }
  }
}
