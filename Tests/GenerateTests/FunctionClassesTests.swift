import Testing

@testable import CoreMLGenerate

@Suite struct FunctionClassesTests {
  private func model(_ functions: [String]) -> ModelClass {
    ModelClass(
      name: "M", resource: "M", specificationVersion: 9, summary: "", author: "", license: "", version: "",
      functions: functions.map { ModelFunction(name: $0, inputs: [], outputs: [], states: []) }, trainingInputs: [])
  }

  @Test func classesOfFunctionsHaveNamesOfTheirOwn() {
    let entries = FunctionClasses.of(model(["main", "a-b", "a_b", "a_bInput", "main"]), named: "M")
    #expect(entries.map(\.name) == ["M", "M_a_b", "M_a_b_", "M_a_bInput_", "M_main"])
    #expect(entries.map(\.isDefault) == [true, false, false, false, false])
  }

  @Test func namesOfManyFunctionsStayShort() {
    let entries = FunctionClasses.of(model((0..<2000).map { _ in "f" }), named: "M")
    #expect(Set(entries.map(\.name)).count == 2000 && entries.allSatisfy { $0.name.count <= 8 })
  }

  @Test func filesOfFunctionsDeclareEachClassOnce() {
    let model = model(["main", "a-b", "a_b"])
    for text in [SwiftFile(model).source(), ObjectiveCFiles(model).header(), PythonFile(model).source()] {
      let heads = text.split(separator: "\n").filter { $0.hasPrefix("class ") || $0.hasPrefix("@interface ") }
      let names = heads.compactMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.dropFirst().first }
      #expect(Set(names).count == names.count && names.count == 9, "\(names)")
    }
  }
}
