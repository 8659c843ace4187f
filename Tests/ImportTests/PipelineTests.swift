import TestModels
import Testing

/// How the stages of a pipeline find their inputs.
@Suite struct PipelineTests {
  typealias F = FeatureModels

  @Test func aStageReadsOnlyWhatStandsBeforeIt() {
    let first = F.model(604, [.double("b")], [.double("c")])
    let second = F.model(604, [.double("a")], [.double("b")])
    #expect(F.refusal(F.pipeline([.double("a")], [.double("c")], [first, second]))?.contains("'b'") == true)
    #expect(F.refusal(F.pipeline([.double("a")], [.double("z")], [second]))?.contains("'z'") == true)
    #expect(F.refusal(F.pipeline([.double("a")], [.double("c")], []))?.contains("no models") == true)
  }
}
