import MIL
import Testing

@testable import CoreMLRuntime

/// Every gradient rule is compared with central differences in double precision.
@Suite struct GradientTests {
  @Test(arguments: GradientCases.all.indices)
  func aGradientIsWhatDifferencesTell(index: Int) throws {
    let test = GradientCases.all[index]
    do {
      let worst = try test.worst()
      #expect(worst < 1e-6, "\(test.operation) \(test.name): off by \(worst)")
    } catch {
      Issue.record("\(test.operation) \(test.name): \(error)")
    }
  }

  @Test func everyRuleAndFormHasACase() {
    let checked = Set(GradientCases.all.map(\.operation))
    let missing = (Set(Gradients.rules.keys).union(Gradients.forms.keys)).subtracting(checked).sorted()
    #expect(missing.isEmpty, "operations with a gradient that nothing checks: \(missing.joined(separator: ", "))")
  }
}
