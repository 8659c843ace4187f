import CoreML
import FeatureFiles
import Foundation

/// Where the results of a batch go, in the order of its rows. Places count the rows of this run's share.
class BatchSink {
  /// Whether an earlier run wrote the row already.
  func isDone(_ place: Int) -> Bool { false }
  func write(_ result: any MLFeatureProvider, at place: Int) throws {}
  func write(failure: String, at place: Int) throws {}
  func skip(at place: Int) throws {}
  /// Everything was written: what was hidden takes its name.
  func finish() throws {}

  static func open(_ output: String?, names: [String], resume: Bool, hasArrays: Bool, summary: Summary) throws
    -> BatchSink
  {
    guard let output else { return PrintSink(summary) }
    switch URL(filePath: output).pathExtension.lowercased() {
    case "jsonl", "ndjson": return try LineSink(output, resume: resume)
    case "npz":
      if resume { throw Failure(.usage, "--resume: an .npz is written at the end only; expected .jsonl or a folder") }
      return ArraySink(output)
    case "": return try FolderSink(output, names: names, resume: resume, hasArrays: hasArrays)
    default: throw Failure(.usage, "--output \(output): expected .jsonl, .npz or a folder for a batch")
    }
  }
}

/// A line of JSON a row on standard output.
final class PrintSink: BatchSink {
  private let summary: Summary
  init(_ summary: Summary) { self.summary = summary }
  override func write(_ result: any MLFeatureProvider, at place: Int) throws { Console.say(summary.line(result)) }
  override func write(failure: String, at place: Int) throws {
    var writer = FeatureJSONWriter()
    writer.failure(failure)
    Console.say(writer.text)
  }
}

/// A `.jsonl` file. Until it is complete it is called `.partial`; its whole lines tell a resumed run where to go on. A row that is left out
/// is an empty line there, which `finish` drops.
final class LineSink: BatchSink {
  private let path: String
  private let partial: String
  private let file: FileHandle
  private var done = 0

  init(_ path: String, resume: Bool) throws {
    self.path = path
    partial = path + ".partial"
    let descriptor = Foundation.open(partial, O_RDWR | O_CREAT | O_CLOEXEC | (resume ? 0 : O_TRUNC), 0o644)
    guard descriptor >= 0 else {
      throw Failure(.cannotWrite, "\(partial): the file cannot be written: \(String(cString: strerror(errno)))")
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    if resume {
      if FileManager.default.fileExists(atPath: path), try file.seekToEnd() == 0 {
        // It was finished: every row is there.
        done = .max
        return
      }
      try file.seek(toOffset: 0)
      let bytes = try file.readToEnd() ?? Data()
      let end = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      done = bytes[..<end].count { $0 == 0x0A }
      // What follows the last whole line is half a row.
      try file.truncate(atOffset: UInt64(end))
      try file.seekToEnd()
    }
  }

  override func isDone(_ place: Int) -> Bool { place < done }
  override func skip(at place: Int) throws { try append("") }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    var writer = FeatureJSONWriter()
    writer.row(result)
    try append(writer.text)
  }

  override func write(failure: String, at place: Int) throws {
    var writer = FeatureJSONWriter()
    writer.failure(failure)
    try append(writer.text)
  }

  private func append(_ line: String) throws {
    do { try file.write(contentsOf: Data((line + "\n").utf8)) } catch {
      throw Failure(.cannotWrite, "\(partial): the file cannot be written")
    }
  }

  override func finish() throws {
    if done == .max {
      unlink(partial)
      return
    }
    try file.seek(toOffset: 0)
    let bytes = try file.readToEnd() ?? Data()
    if bytes.first == 0x0A || bytes.range(of: Data([0x0A, 0x0A])) != nil {
      let kept = bytes.split(separator: 0x0A).flatMap { $0 + [0x0A] }
      try file.truncate(atOffset: 0)
      try file.seek(toOffset: 0)
      try file.write(contentsOf: Data(kept))
    }
    try file.synchronize()
    guard rename(partial, path) == 0 else {
      throw Failure(.cannotWrite, "\(path): the file cannot be put in its place: \(String(cString: strerror(errno)))")
    }
  }
}

/// An `.npz`: every output with the rows as its first axis.
final class ArraySink: BatchSink {
  private let path: String
  private var rows: [[String: NPYArray]] = []

  init(_ path: String) { self.path = path }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    var row: [String: NPYArray] = [:]
    for name in result.featureNames {
      if let array = result.featureValue(for: name)?.multiArrayValue { row[name] = FeatureConversion.array(array) }
    }
    rows.append(row)
  }

  override func write(failure: String, at place: Int) throws {
    throw Failure(.usage, "--on-error record: an .npz has no room for errors (\(failure))")
  }

  override func finish() throws {
    let stacked = try (rows.first ?? [:]).keys.sorted().map { name in
      let arrays = rows.compactMap { $0[name] }
      guard let first = arrays.first, arrays.count == rows.count, arrays.allSatisfy({ $0.shape == first.shape }) else {
        throw Failure(
          .data, "\(path): the output '\(name)' differs in shape between rows; expected one shape for an .npz")
      }
      return (
        name: name,
        array: NPYArray(first.element, shape: [rows.count] + first.shape, bytes: arrays.flatMap(\.bytes))
      )
    }
    try NPZ.write(stacked, to: path)
  }
}

/// A folder: `<row name>.npz` for arrays and `<row name>.json` for all else.
final class FolderSink: BatchSink {
  private let path: String
  private let names: [String]
  private let isResumed: Bool
  /// The kind of file that is written last: where it stands, the row is complete.
  private let last: String

  init(_ path: String, names: [String], resume: Bool, hasArrays: Bool) throws {
    self.path = path
    self.names = names
    last = hasArrays ? "npz" : "json"
    isResumed = resume
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw Failure(.cannotWrite, "\(path): the folder cannot be made")
    }
  }

  override func isDone(_ place: Int) -> Bool {
    isResumed && FileManager.default.fileExists(atPath: "\(path)/\(names[place]).\(last)")
  }

  override func write(_ result: any MLFeatureProvider, at place: Int) throws {
    let others = result.featureNames.filter { result.featureValue(for: $0)?.type != .multiArray }.sorted()
    if !others.isEmpty { try RowOutputs.writeValues(result, others, "\(path)/\(names[place]).json") }
    if others.count < result.featureNames.count { try RowOutputs.writeArrays(result, "\(path)/\(names[place]).npz") }
  }

  override func write(failure: String, at place: Int) throws {
    var writer = FeatureJSONWriter()
    writer.failure(failure)
    do {
      try Data((writer.text + "\n").utf8).write(to: URL(filePath: "\(path)/\(names[place]).json"), options: .atomic)
    } catch {
      throw Failure(.cannotWrite, "\(path)/\(names[place]).json: the file cannot be written")
    }
  }
}
