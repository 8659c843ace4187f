import Foundation
import Testing

/// Idioms of programs for Apple's frameworks that failed here once. `IdiomTests` compiles them without optimisation in Swift 6 mode,
/// `OptimizedIdiomTests` the same files with `-O` in Swift 5 mode: a cast that always fails is undefined behaviour, and differs between both.
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
