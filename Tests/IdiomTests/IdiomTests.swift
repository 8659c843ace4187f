import Foundation
import Testing

/// Idioms of programs for Apple's frameworks that once failed here. `IdiomTests` compiles them without optimization in
/// Swift 6 mode, and `OptimizedIdiomTests` compiles the same files with `-O` in Swift 5 mode. A cast that the compiler
/// assumes to fail is undefined behavior, and both builds differ in it.
@Suite(.timeLimit(.minutes(2))) struct IdiomTests {
  @Test func errorsMatchAsNSError() async throws {
    let compiled = try await Idioms.compiled("Tests/Cases/interface/line.mlmodel")
    defer { try? FileManager.default.removeItem(at: compiled) }
    #expect(try await ErrorsAsNSError.run(compiled) == [])
  }

  @Test func olderSpellingsHold() async throws {
    let compiled = try await Idioms.compiled("Tests/Cases/models/states/decoder.mlpackage")
    defer { try? FileManager.default.removeItem(at: compiled) }
    #expect(try OlderSpellings.run(compiled) == [])
  }

  @Test func visionsSwiftInterfaceIsUsed() async throws {
    let folder = "Tests/Cases/models"
    let (detector, image, array) = (
      try await Idioms.compiled("\(folder)/detector.mlmodel"),
      try await Idioms.compiled("\(folder)/enumeratedPicture.mlmodel"),
      try await Idioms.compiled("\(folder)/pictureProgramPipeline.mlmodel")
    )
    defer { for compiled in [detector, image, array] { try? FileManager.default.removeItem(at: compiled) } }
    #expect(try await SwiftVision.run(detector: detector, image: image, array: array) == [])
  }

  @Test func coreFoundationStandsBeside() { #expect(BesideCoreFoundation.run() == []) }
  @Test func picturesAndBuffersAreHandled() throws { #expect(try PictureIdioms.run() == []) }
}
