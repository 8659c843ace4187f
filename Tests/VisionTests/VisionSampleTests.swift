import Testing

/// Sample code around models that look at pictures: it builds unchanged in this language mode, and does what it is for.
@Suite struct VisionSampleTests {
  @Test func samplesRun() async throws { #expect(try await VisionSampleChecks.run() == []) }
}
