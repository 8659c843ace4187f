import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport

/// A compiled model stores large constants of every type as bytes in its weight file, not as text in its program.
@Suite struct ConstantStorageTests {
  private typealias F = FeatureModels

  @Test func doublesAreKeptBitForBit() throws {
    let values = [0.1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.0 / 3]
    let scales = (0..<1000).map { values[$0 % 5] }
    let model = F.model(604, [.array("x", [1000])], [.array("y", [1000])]) { $0.append(2, packed: scales) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "constants-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "scaler.mlmodel")
    try Data(model).write(to: source)
    let compiled = try ModelCompiler.compile(source, into: folder)
    let text = try String(contentsOf: compiled.appending(path: "model.mil"), encoding: .utf8)
    #expect(text.utf8.count < 2000 && text.contains("BLOBFILE"), "\(text.utf8.count) bytes of text")
    let weights = try FileManager.default.attributesOfItem(atPath: compiled.appending(path: "weights/weight.bin").path)
    #expect((weights[.size] as? Int ?? 0) >= 8000)
    let program = try CompiledModelLoader.load(compiled.path).program
    let constants = try #require(program.functions["main"]).body.operations.flatMap { operation in
      operation.inputs.values.joined().compactMap { binding -> [Double]? in
        guard case .literal(let value) = binding, value.tensor?.count == 1000 else { return nil }
        return try? value.tensor?.doubles()
      }
    }
    #expect(constants.contains { $0.map(\.bitPattern) == scales.map(\.bitPattern) })
  }
}
