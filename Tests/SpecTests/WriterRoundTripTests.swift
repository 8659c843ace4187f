import CoreMLBase
import Foundation
import TestSupport
import Testing

@testable import CoreMLSpec

/// A model that is read through the views and saved by this project's writer is the same model, for the views and for
/// Python's protobuf.
@Suite(.tags(.process)) struct WriterRoundTripTests {
  private static let shared = PythonTests.root.appending(path: "../shared").standardizedFileURL
  private static let archives = ["corpus/corpus-dev.tar.gz", "models/models-dev.tar.xz"]
    .map { shared.appending(path: $0) }
    .filter { FileManager.default.fileExists(atPath: $0.path) }

  /// The intact models of this checkout: those of the example, the cases and the fuzzers' corpora.
  private static let own: [URL] = {
    let cases = ["fuzz/network", "fuzz/program", "fuzz/classical", "models"]
      .map { PythonTests.root.appending(path: "Tests/Cases/\($0)") }
    // Packages are folders, and the enumeration descends into them.
    let files = cases.flatMap { folder in
      (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [])
        .compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath && $0.pathExtension != "bin" }
    }
    return files + [
      PythonTests.root.appending(path: "examples/digits/Digits.mlpackage/Data/com.apple.CoreML/model.mlmodel")
    ]
  }()

  @Test func modelsOfThisCheckout() throws {
    var count = 0
    for file in Self.own {
      let message = Message(try Bytes.mapping(file: file.path))
      // Damaged files of the fuzzers' corpora are not models.
      guard let dump = try? Reencoding.dump(message),
        let saved = try? Reencoding.edit(message, Reencoding.model)
      else { continue }
      count += 1
      #expect(try Reencoding.dump(Message(saved.bytes())) == dump, "\(file.lastPathComponent)")
    }
    #expect(count >= 10)
  }

  /// All models of the archives, written to and read from files. With Python, coremltools' classes also parse them, and
  /// the messages are compared.
  @Test(
    .enabled(if: !archives.isEmpty, "needs ../shared/corpus/corpus-dev.tar.gz or ../shared/models/models-dev.tar.xz"))
  func modelsBesideTheCheckout() throws {
    let out = FileManager.default.temporaryDirectory.appending(path: "coreml-saved-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: out) }
    #expect(try PythonTests.python(["spec_saved.py", "unpack", out.path] + Self.archives.map(\.path)) == 0)
    let files = try FileManager.default.contentsOfDirectory(at: out, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "mlmodel" }
    #expect(files.count > 100)
    var refused = 0
    for file in files {
      let message = Message(try Bytes.mapping(file: file.path))
      let path = file.deletingPathExtension().appendingPathExtension("saved").path
      do { try ModelFile.write(Reencoding.edit(message, Reencoding.model), to: path) } catch is SpecError {
        // Not a message. Python must refuse it, too.
        refused += 1
        continue
      }
      let saved = Message(try Bytes.mapping(file: path))
      // A message in protobuf's canonical encoding is rewritten to the same bytes. For other encodings, the dumps of
      // the views must agree.
      if saved.bytes != message.bytes {
        #expect(try Reencoding.dump(saved) == Reencoding.dump(message), "\(file.lastPathComponent)")
      }
    }
    #expect(refused * 100 < files.count)
    if PythonTests.hasPython { #expect(try PythonTests.python(["spec_saved.py", "compare", out.path]) == 0) }
  }
}
