import FeatureFiles
import Foundation

/// The files of a folder that are rows of a batch, and what is left out.
struct FolderListing {
  /// Paths relative to the folder, sorted.
  private(set) var files: [String] = []
  /// Files that are not rows, counted by suffix.
  private var others: [String: Int] = [:]
  private var folders = 0
  /// Pipes, sockets and devices, which may be endless.
  private var streams = 0
  /// `.json` files next to pictures, for a model that takes only pictures.
  private var descriptions = 0

  /// Links to folders are not followed, as they may form loops. Names that begin with a dot are ignored.
  init(_ root: String, _ reader: FeatureReader, isRecursive: Bool) throws {
    var (pictures, values): ([String], [String]) = ([], [])
    var left = [""]
    while let below = left.popLast() {
      for name in try FileNames.list(below.isEmpty ? root : "\(root)/\(below)") where !name.hasPrefix(".") {
        let path = below.isEmpty ? name : "\(below)/\(name)"
        var (link, status) = (stat(), stat())
        if lstat("\(root)/\(path)", &link) == 0, link.st_mode & S_IFMT == S_IFDIR {
          if isRecursive { left.append(path) } else { folders += 1 }
          continue
        }
        // A broken link is a row that fails.
        if stat("\(root)/\(path)", &status) == 0, status.st_mode & S_IFMT != S_IFREG {
          if status.st_mode & S_IFMT == S_IFDIR { folders += 1 } else { streams += 1 }
          continue
        }
        switch RowFile("\(root)/\(path)") {
        case .picture where reader.takesImages || ImageFiles.extensions.contains(Self.suffix(name)):
          pictures.append(path)
        case .unreadablePicture where reader.takesImages: pictures.append(path)
        case .json: values.append(path)
        case .arrays: files.append(path)
        case .picture, .unreadablePicture, .other: others[Self.suffix(name), default: 0] += 1
        }
      }
    }
    if reader.takesOnePictureAlone && !pictures.isEmpty { descriptions = values.count } else { files += values }
    files = (files + pictures).sorted()
  }

  private static func suffix(_ name: String) -> String { URL(filePath: name).pathExtension.lowercased() }

  /// What is left out, as text; nil if everything is a row.
  var leftOut: String? {
    func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
    var words = others.sorted { $0.key < $1.key }.map { suffix, number in
      suffix.isEmpty ? "\(count(number, "file")) without a suffix" : "\(number) .\(suffix)"
    }
    if descriptions > 0 {
      words.append(
        "\(descriptions) .json beside pictures (the model takes pictures alone; FILEs after MODEL may be .json)")
    }
    if streams > 0 { words.append("\(streams) that are pipes or devices") }
    if folders > 0 { words.append("\(count(folders, "folder")) (--recursive takes those that are no links)") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}
