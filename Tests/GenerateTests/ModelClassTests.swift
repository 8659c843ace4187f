import CoreMLBase
import Foundation
import Testing

@testable import CoreMLGenerate

/// Reading a model file into a `ModelClass`.
@Suite struct ModelClassTests {
  /// A `.mlmodel` whose functions have no inputs and outputs.
  private func model(functions: [String]) throws -> URL {
    func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
      let tag = number << 3 | 2
      return (tag < 128 ? [UInt8(tag)] : [UInt8(tag & 127 | 128), UInt8(tag >> 7)]) + [UInt8(bytes.count)] + bytes
    }
    let described = functions.flatMap { field(20, field(1, Array($0.utf8))) }
    let url = FileManager.default.temporaryDirectory.appending(path: "functions-\(UUID().uuidString).mlmodel")
    try Data([0x08, 0x09] + field(2, described) + field(900, [])).write(to: url)
    return url
  }

  @Test func functionsOfOneNameAreRefusedByIt() throws {
    let good = try model(functions: ["a", "b"])
    #expect(try ModelClass(modelAt: good).functions.map(\.name) == ["a", "b"])
    let bad = try model(functions: ["a", "b", "a"])
    let error = #expect(throws: RuntimeError.self) { try ModelClass(modelAt: bad) }
    #expect(error?.message.contains("two functions of the name \"a\"") == true, "\(String(describing: error))")
    for url in [good, bad] { try FileManager.default.removeItem(at: url) }
  }

  /// The store keeps a model under another file name than its own.
  @Test func aModelMayBeCalledOtherwiseThanItsFile() throws {
    let url = try model(functions: [])
    defer { try? FileManager.default.removeItem(at: url) }
    let named = try ModelClass(modelAt: url, named: "a-b")
    #expect(named.name == "a_b" && named.resource == "a-b")
    let classed = try ModelClass(modelAt: url, named: "a-b", name: "C")
    #expect(classed.name == "C" && classed.resource == "a-b")
    #expect(try ModelMetadata.text(modelAt: url, named: "a-b").contains("\"generatedClassName\" : \"a_b\""))
  }
}
