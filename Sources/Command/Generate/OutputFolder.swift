import CoreMLGenerate
import Foundation

/// An output folder of a command.
enum OutputFolder {
  static func url(_ path: String) -> URL { URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL }

  /// Creates the folder if it is missing.
  static func make(_ path: String) throws -> URL {
    let folder = url(path)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotWrite, "\(folder.path): the folder cannot be made: \(Failure.reason(error))")
    }
    return folder
  }

  /// Writes files and returns their paths.
  ///
  /// - Parameter replacingAll: Whether files that are not generated are replaced. Otherwise they are refused, and
  ///   nothing is written.
  static func write(_ files: [GeneratedFile], into path: String, replacingAll: Bool) throws -> [String] {
    let folder = try make(path)
    if !replacingAll { try refuseForeign(files, in: folder) }
    return try files.map { try $0.write(into: folder).path }
  }

  private static func refuseForeign(_ files: [GeneratedFile], in folder: URL) throws {
    for file in files where file.standing(in: folder) == .foreign {
      throw Failure(
        .cannotWrite,
        "\(file.place(in: folder).path): expected nothing or a generated file, found one that does not say so at its head; --force replaces it"
      )
    }
  }
}
