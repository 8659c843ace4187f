import CInterface
import CInterfaceChecks
import Foundation
import Testing

/// The checks in C, with one test per function.
@Suite(.serialized) struct ChecksTests {
  typealias Checks = @convention(c) (UnsafePointer<checks_places>?) -> Int32

  private static let all: [(String, Checks)] = [
    ("errors", checks_errors), ("options", checks_options), ("tensors", checks_tensors),
    ("collections", checks_collections), ("images", checks_images), ("features", checks_features),
    ("descriptions", checks_descriptions), ("models in memory", checks_memory_models),
    ("predictions", checks_predictions), ("backings", checks_backings), ("states", checks_states),
    ("arrays", checks_arrays), ("rows", checks_rows), ("texts", checks_texts), ("classes", checks_classes),
    ("batches", checks_batches), ("plans", checks_plans), ("cancellation", checks_cancellation),
    ("threads", checks_threads), ("training", checks_training), ("digits", checks_digits),
  ]

  /// Sequential, because the checks report to one global place.
  @Test func everyFunctionDoesWhatItSays() throws { try Self.run(Self.all) }

  @Test func aLoopWithoutEndIsStopped() throws { try Self.run([("endless", checks_endless)]) }

  private static func run(_ all: [(String, Checks)]) throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "checks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    Places.models.path.withCString { models in
      Places.digits.path.withCString { digits in
        scratch.path.withCString { scratch in
          var places = checks_places(models: models, digits: digits, scratch: scratch)
          for (name, checks) in all {
            let failed = checks(&places)
            #expect(failed == 0, "\(name): \(String(cString: checks_report()))")
          }
        }
      }
    }
  }
}

enum Places {
  static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let models = checkout.appending(path: "Tests/Cases/interface")
  static let digits = checkout.appending(path: "examples/digits")
  static let header = checkout.appending(path: "Sources/CInterface/include/coreml_runtime.h")
  /// The library that SwiftPM builds with the tests.
  static let library = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "libcoreml_runtime.so")
}
