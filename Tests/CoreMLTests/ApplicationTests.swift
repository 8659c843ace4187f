import Testing

/// Sources written as applications for Apple's framework are: they build unchanged in this language mode, and do what they are for.
@Suite struct ApplicationTests {
  @Test func languageModelsSpeak() async throws { #expect(try await ApplicationChecks.languageModels() == []) }
  @Test func soundsAreRecognised() async throws { #expect(try await ApplicationChecks.recognition() == []) }
  @Test func plansAreTold() async throws { #expect(try await ApplicationChecks.plans() == []) }
  @Test func mocksStandForModels() async throws { #expect(try await ApplicationChecks.mocks() == []) }
  @Test func modelsLearn() async throws { #expect(try await ApplicationChecks.learning() == []) }
  @Test func modelsAreKept() async throws { #expect(try await ApplicationChecks.keeping() == []) }
  @Test func arraysAreSliced() async throws { #expect(try await ApplicationChecks.arrays() == []) }
}
