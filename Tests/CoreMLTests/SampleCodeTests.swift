import Testing

/// Generated classes and sample code. They build unchanged in this language mode and behave as intended.
@Suite struct SampleCodeTests {
  @Test func samplesRun() async throws { #expect(try await SampleCodeChecks.run() == []) }
  @Test func generatedClassesDoWhatTheyAreFor() async throws { #expect(try await GeneratedChecks.run() == []) }
}
