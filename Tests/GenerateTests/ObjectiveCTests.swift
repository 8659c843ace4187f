import Foundation
import TestSupport
import Testing

@testable import CoreMLGenerate

/// Objective-C code, checked by the clang of the Swift toolchain with a few declarations instead of Apple's frameworks.
@Suite(.tags(.process)) struct ObjectiveCTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Cases/generate/objc")

  /// The compiler's messages for an implementation and its header, or an empty string.
  private func complaint(_ source: URL) throws -> String {
    let log = FileManager.default.temporaryDirectory.appending(path: "objc-\(UUID().uuidString)")
    try Data().write(to: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      [
        "clang", "-fsyntax-only", "-x", "objective-c", "-fobjc-arc", "-fblocks", "-fobjc-runtime=macosx-12.0",
        "-std=gnu99", "-DTRUE=1", "-DFALSE=0", "-DDEBUG=1",
        "-trigraphs", "-Wall", "-Werror", "-Wno-objc-missing-super-calls", "-I",
        Self.folder.appending(path: "stubs").path, source.path,
      ]
    compiler.standardError = try FileHandle(forWritingTo: log)
    try compiler.run()
    compiler.waitUntilExit()
    let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
    return compiler.terminationStatus == 0 ? "" : "status \(compiler.terminationStatus): \(said)"
  }

  @Test(arguments: ["Digits", "kinds", "running_sum", "functions", "names"])
  func itCompilesWithoutAWarning(name: String) throws {
    #expect(try complaint(Self.folder.appending(path: "\(name).m")) == "")
  }

  static let array = FeatureKind.multiArray(Samples.vector)
  static let image = FeatureKind.image(Samples.picture)

  /// Names with a meaning in the language, in the system or in the rest of the class.
  @Test(arguments: [
    // The selector of a prediction from an input object.
    ["features"], ["Features"], ["features", "options"],
    // Instance variables of one, and arguments of the other.
    ["x", "_x", "__x"], ["_class", "_line", "_block", "__LINE__", "__weak", "_Nullable", "Nullable", "Bool", "Atomic"],
    // Names of method families that return an owned object.
    ["new", "_new", "__copy", "_allocated", "mutableCopyOf", "_initialState", "newest"],
    // Both have the same setter.
    ["x", "X"], ["größe", "Größe", "a b", "A_b", "a_b"],
    // Macros, types and classes.
    ["TRUE", "FALSE", "YES", "NO", "NULL", "DEBUG", "nil", "in", "instancetype"],
    ["NSDictionary", "MLMultiArray", "CVPixelBufferRef", "CGImageRef", "int64_t", "kCVPixelFormatType_32ARGB"],
    ["M", "MInput", "MOutput", "MLModel"],
    // Names of local variables in methods.
    ["a", "aValue_", "aFromCGImage", "value_", "error"],
  ])
  func anyNameCompilesWithoutAWarning(names: [String]) throws {
    let work = FileManager.default.temporaryDirectory.appending(path: "objc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: work) }
    let kinds = [Self.array, Self.image, .double, .dictionary(.string), .int64]
    for kind in kinds {
      // The first feature has another type, so that shadowed types matter.
      let features = names.enumerated().map { index, name in
        Samples.feature(name, index == 0 ? kind : index % 2 == 0 ? Self.image : Self.array, isOptional: index == 3)
      }
      for file in ObjectiveCFiles(Samples.model(inputs: features, outputs: features)).files() {
        _ = try file.write(into: work)
      }
      let said = try complaint(work.appending(path: "M.m"))
      #expect(said == "", "\(kind)")
    }
  }

  @Test func onlyAPredictionThatThereIsAlreadyIsLeftOut() {
    func header(_ names: String...) -> String {
      ObjectiveCFiles(Samples.model(inputs: names.map { Samples.feature($0) })).header()
    }
    #expect(header("features").components(separatedBy: "predictionFromFeatures:").count == 3)
    #expect(header("features", "more").contains("predictionFromFeatures:(double)features more:(double)more error:"))
    #expect(header("x").contains("predictionFromX:(double)x error:"))
  }

  /// The compiler accepts an argument that hides an instance variable, but then an assignment would set the argument.
  @Test func argumentsDoNotHideInstanceVariables() {
    let features = ["_963", "__963"].map { Samples.feature($0) }
    let text = ObjectiveCFiles(Samples.model(inputs: features)).implementation()
    #expect(text.contains("self->__963 = _963;") && text.contains("self->___963 = __963;"), "\(text)")
  }

  @Test(arguments: [
    (["_new", "__copy", "renew"], ["the_new", "the__copy", "renew"]), (["x", "X"], ["x", "X_"]),
    (["_963", "963"], ["_963", "_963_"]), (["_x", "Bool", "TRUE"], ["the_x", "Bool_", "TRUE_"]),
  ])
  func propertiesAreCalled(names: [String], identifiers: [String]) {
    let features = ObjectiveCFeatures(names.map { Samples.feature($0) }, beside: [])
    #expect(features.features.map(\.identifier) == identifiers)
  }

  @Test(arguments: ["NSString", "MLModel", "BOOL", "TRUE", "NSObject"])
  func classesAreNotCalledAsThoseOfTheSystem(name: String) {
    #expect(ObjectiveCFiles(Samples.model(name)).header().contains("@interface \(name)_ : NSObject"))
  }
}
