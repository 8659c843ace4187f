import CoreMLBase
import Foundation
import Testing

@testable import CoreMLSpec

/// A model that is read with the views and saved by our writer is the same model, to the views and to Python's protobuf.
@Suite struct WriterRoundTripTests {
  private static let shared = PythonTests.root.appending(path: "../shared").standardizedFileURL
  private static let archives = ["corpus/corpus-dev.tar.gz", "models/models-dev.tar.xz"]
    .map { shared.appending(path: $0) }
    .filter { FileManager.default.fileExists(atPath: $0.path) }

  /// Models of this checkout: the example's, those of the cases and of the fuzzers' corpora, as far as they are whole.
  private static let own: [URL] = {
    let cases = ["fuzz/network", "fuzz/program", "fuzz/classical", "models"]
      .map { PythonTests.root.appending(path: "Tests/Cases/\($0)") }
    // Packages are folders; what they hold is found as well.
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
      // Damaged ones among the fuzzers' are no models.
      guard let dump = try? Reencoding.dump(message),
        let saved = try? Reencoding.edit(message, Reencoding.model)
      else { continue }
      count += 1
      #expect(try Reencoding.dump(Message(saved.bytes())) == dump, "\(file.lastPathComponent)")
    }
    #expect(count >= 10)
  }

  /// All models that there are, through a file; with Python also parsed by coremltools' classes and compared message for message.
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
        // No message; Python must say so, too.
        refused += 1
        continue
      }
      let saved = Message(try Bytes.mapping(file: path))
      // What was written in the way that protobuf writes is the same bytes; for anything else the views decide.
      if saved.bytes != message.bytes {
        #expect(try Reencoding.dump(saved) == Reencoding.dump(message), "\(file.lastPathComponent)")
      }
    }
    #expect(refused * 100 < files.count)
    if PythonTests.hasPython { #expect(try PythonTests.python(["spec_saved.py", "compare", out.path]) == 0) }
  }
}
