import Testing

/// Sources in the style of applications for Apple's framework. They build unchanged in this language mode and behave as
/// intended.
@Suite struct SwiftFiveApplicationTests {
  @Test func languageModelsSpeak() async throws { expectNothing(try await ApplicationChecks.languageModels()) }
  @Test func soundsAreRecognised() async throws { expectNothing(try await ApplicationChecks.recognition()) }
  @Test func plansAreTold() async throws { expectNothing(try await ApplicationChecks.plans()) }
  @Test func mocksStandForModels() async throws { expectNothing(try await ApplicationChecks.mocks()) }
  @Test func modelsLearn() async throws { expectNothing(try await ApplicationChecks.learning()) }
  @Test func modelsAreKept() async throws { expectNothing(try await ApplicationChecks.keeping()) }
  @Test func arraysAreSliced() async throws { expectNothing(try await ApplicationChecks.arrays()) }
  @Test func tensorsAreCalculatedWith() async throws { expectNothing(try await ApplicationChecks.tensors()) }
  @Test func olderClassesPredict() async throws { expectNothing(try await ApplicationChecks.olderClasses()) }
  @Test func idiomsHold() async throws { expectNothing(try await ApplicationChecks.idioms()) }

  /// Fails with the list of problems.
  private func expectNothing(_ wrong: [String], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(wrong.isEmpty, "\(wrong)", sourceLocation: sourceLocation)
  }
}
