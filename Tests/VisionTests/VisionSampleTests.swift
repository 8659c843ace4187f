import Testing

/// Sample code around models with image inputs. It builds unchanged in this language mode and behaves as intended.
@Suite struct VisionSampleTests {
  @Test func samplesRun() async throws { #expect(try await VisionSampleChecks.run() == []) }
}
