import CoreML
import Testing

/// Classes generated for Swift 6 can be sent between tasks.
@Suite struct GeneratedSixTests {
  @Test func aModelIsUsedByManyTasks() async throws {
    let checkout = SampleCodeChecks.cases().deletingLastPathComponent().deletingLastPathComponent()
    let compiled = try await MLModel.compileModel(at: checkout.appending(path: "examples/digits/Digits.mlpackage"))
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let digits = try await SixDigits.load(contentsOf: compiled)
    let labels = try await withThrowingTaskGroup(of: SixDigitsLabel?.self) { group in
      for name in ["two", "seven"] {
        group.addTask {
          let picture = checkout.appending(path: "examples/digits/\(name).png")
          return try await digits.prediction(input: SixDigitsInput(imageAt: picture)).classLabelCase
        }
      }
      return try await group.reduce(into: Set<SixDigitsLabel>()) { if let label = $1 { $0.insert(label) } }
    }
    #expect(labels == [.two, .seven])
  }
}
