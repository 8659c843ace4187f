import Foundation
import TestSupport
import Testing

/// `runtime metadata` and `runtime coremlc`, which build scripts for Apple's tools call.
@Suite(.tags(.process)) struct CompilerCommandTests {
  private let folder: Scratch
  private static let digits = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private static let interface = CommandRun.checkout.appending(path: "Tests/Cases/interface")

  init() throws { folder = try Scratch() }

  private func metadata(_ model: String) throws -> [String: Any] {
    let run = try CommandRun(["metadata", model], in: folder)
    let list = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]]
    #expect(list?.count == 1, "\(run.complaint)")
    return try #require(list?.first)
  }

  @Test func metadataHasTheFormOfApplesCompiler() throws {
    let found = try metadata(Self.digits)
    #expect(found["metadataOutputVersion"] as? String == "3.0" && found["method"] as? String == "predict")
    #expect((found["modelType"] as? [String: String]) == ["name": "MLModelType_mlProgram"])
    #expect(found["generatedClassName"] as? String == "Digits" && found["isUpdatable"] as? String == "0")
    #expect((found["mlProgramOperationTypeHistogram"] as? [String: Int])?["Conv"] == 3, "\(found)")
    #expect(found["computePrecision"] is String && found["storagePrecision"] as? String == "Float32")
    let image = try #require((found["inputSchema"] as? [[String: String]])?.first)
    #expect(image["type"] == "Image" && image["hasSizeFlexibility"] == "0" && image["isOptional"] == "0", "\(image)")
    let systems = try #require(found["availability"] as? [String: String])
    #expect(systems["iOS"] == systems["macCatalyst"] && systems["macOS"] != nil)
  }

  @Test func everyKindOfFeatureIsTold() throws {
    let kinds = try metadata(Self.interface.appending(path: "kinds.mlmodel").path)
    let inputs = try #require(kinds["inputSchema"] as? [[String: String]])
    let types = Dictionary(uniqueKeysWithValues: inputs.map { ($0["name"] ?? "", $0) })
    #expect(types["words"]?["keyType"] == "String" && types["numbers"]?["keyType"] == "Int64")
    #expect(types["texts"]?["valueType"] == "String" && types["gray16"]?["colorspace"] == "GrayscaleFloat16")
    let sums = try metadata(Self.interface.appending(path: "sums.mlmodel").path)
    let a = try #require((sums["inputSchema"] as? [[String: String]])?.first)
    #expect(a["shapeRange"] == "[[1, 8], [3, 3]]" && a["shapeFlexibility"] == "1...8 × 3", "\(a)")
    #expect(sums["author"] as? String == "nobody" && sums["version"] as? String == "7")
    let state = try metadata(Self.interface.appending(path: "running-sum.mlmodel").path)
    #expect((state["stateSchema"] as? [[String: String]])?.first?["formattedType"] == "State (Float16 4)", "\(state)")
    let line = try metadata(Self.interface.appending(path: "line.mlmodel").path)
    #expect(line["isUpdatable"] as? String == "1" && line["trainingInputSchema"] is [[String: String]])
    #expect((line["neuralNetworkLayerTypeHistogram"] as? [String: Int]) == ["InnerProduct": 1])
  }

  @Test func functionsAreToldOneByOne() throws {
    let path = CommandRun.checkout.appending(path: "Tests/Cases/generate/functions.mlpackage").path
    let found = try metadata(path)
    let functions = try #require(found["functions"] as? [[String: Any]])
    #expect(functions.compactMap { $0["name"] as? String } == ["double", "half-life"])
    #expect(found["defaultFunctionName"] as? String == "double")
  }

  @Test func whatApplesToolsWroteIsPrintedAsItIs() throws {
    let text = """
      [ { "specificationVersion" : 7, "inputSchema" : [], "outputSchema" : [], "more" : "kept" } ]
      """
    try folder.write("program(1.0) {}", to: "A.mlmodelc/model.mil")
    try folder.write(text, to: "A.mlmodelc/metadata.json")
    #expect(try CommandRun(["metadata", "A.mlmodelc"], in: folder).output == text + "\n")
    try folder.write("no JSON", to: "A.mlmodelc/metadata.json")
    try CommandRun(["metadata", "A.mlmodelc"], in: folder).failed(65, naming: "metadata.json")
  }

  @Test func scriptsForApplesCompilerRun() throws {
    // The arguments that Xcode passes.
    let options = [
      "--deployment-target", "17.0", "--sdkroot", "/none", "--platform", "ios", "--output-partial-info-plist",
      "p/I.plist",
      "--container", "bundle-resources", "--language", "Swift", "--swift-version", "5.0",
    ]
    try FileManager.default.createDirectory(at: folder.url.appending(path: "p"), withIntermediateDirectories: true)
    let dry = try CommandRun(["coremlc", "generate", Self.digits, "g", "--dry-run", "yes"] + options, in: folder)
    #expect(dry.status == 0 && dry.output.hasSuffix("/g/Digits.swift\n"), "\(dry.complaint)")
    #expect(try folder.list() == ["p"] && folder.list("p").isEmpty)
    let generated = try CommandRun(["coremlc", "generate", Self.digits, "g"] + options, in: folder)
    #expect(generated.output == dry.output && generated.status == 0, "\(generated.complaint)")
    #expect(try folder.read("p/I.plist").contains("<dict/>"))
    #expect(try CommandRun(["generate", Self.digits, "-o", "own"], in: folder).status == 0)
    #expect(try folder.read("g/Digits.swift") == folder.read("own/Digits.swift"))

    let compiled = try CommandRun(["coremlc", "compile", Self.digits, "c"] + options, in: folder)
    #expect(compiled.status == 0 && compiled.output.hasSuffix("/c/Digits.mlmodelc\n"), "\(compiled.complaint)")
    let image = CommandRun.digits.appending(path: "nine.png").path
    let found = try CommandRun(
      ["predict", "c/Digits.mlmodelc", "--input", image, "--compute-units", "cpuOnly"], in: folder)
    #expect(try found.json()["classLabel"] as? String == "nine")

    // The default language is Objective-C, and options may come first.
    #expect(try CommandRun(["coremlc", "generate", Self.digits, "m"], in: folder).status == 0)
    #expect(try folder.list("m") == ["Digits.h", "Digits.m"])
    let shown = [
      "coremlc", "generate", "--language", "Swift", "--public-access", "--class-name", "Shown", Self.digits, "s",
    ]
    #expect(try CommandRun(shown, in: folder).status == 0)
    #expect(try folder.read("s/Shown.swift").contains("public class ShownInput : MLFeatureProvider"))
    let metadata = try CommandRun(["coremlc", "metadata", Self.digits], in: folder).output
    #expect(try metadata == CommandRun(["metadata", Self.digits], in: folder).output)
  }

  @Test func whatApplesCompilerDoesAndThisOneCannotIsRefused() throws {
    try CommandRun(["coremlc", "compile", Self.digits, "c", "--encrypt", "key"], in: folder).failed(
      64, naming: "--encrypt")
    try CommandRun(["coremlc", "generate", Self.digits, "c", "--swift-version", "9"], in: folder).failed(
      64, naming: "swift-version")
    try CommandRun(["coremlc", "compile", "absent.mlmodel", "c"], in: folder).failed(74, naming: "absent.mlmodel")
    try CommandRun(["coremlc", "decompile"], in: folder).failed(64, naming: "decompile")
  }
}
