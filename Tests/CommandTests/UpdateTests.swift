import Foundation
import TestSupport
import Testing

/// `runtime update` from a user's point of view.
@Suite(.tags(.process)) struct UpdateTests {
  /// An untrained nearest-neighbor classifier of points in the plane with one neighbor. coremltools'
  /// `KNearestNeighborsClassifierBuilder(input_name="x", output_name="label", number_of_dimensions=2,
  /// default_class_label="nothing", number_of_neighbors=1)` wrote it.
  private static let model = """
    CAQSYwoOCgF4GgkqBwoBAhCggARSCwoFbGFiZWwaAhoAUhIKCmxhYmVsUHJvYnMaBDICEgBaBWxhYmVsYgpsYWJlbFByb2JzkgMOCgF4GgkqBwoBAhCggASSAwsKBWxhYmVsGgIaAFABohklCggIAqIGAMIMABoJCAFSBQgBEOgHogYA8gYHbm90aGluZ8IMAA==
    """

  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try #require(Data(base64Encoded: Self.model)).write(to: folder.url.appending(path: "Points.mlmodel"))
  }

  private func update(_ arguments: String...) throws -> CommandRun {
    try CommandRun(["update", "Points.mlmodel", "--output", "Learnt.mlmodelc"] + arguments, in: folder)
  }

  private func label(_ x: String, of model: String = "Learnt.mlmodelc") throws -> String? {
    try CommandRun(["predict", model, "--set", "x=\(x)", "--json"], in: folder).json()["label"] as? String
  }

  private static let rows = [
    "x,label", "\"[0, 0]\",near", "\"[1, 0]\",near", "\"[0, 1]\",near", "\"[9, 9]\",far", "\"[8, 9]\",far",
    "\"[9, 8]\",far",
  ]

  @Test func aTableTeachesAndTheModelStays() throws {
    try folder.write(Self.rows.joined(separator: "\n"), to: "rows.csv")
    let run = try update("--data", "rows.csv")
    #expect(run.status == 0, "\(run.complaint)")
    #expect(try run.json()["examples"] as? Int == 6)
    #expect(try label("[0.2, 0.2]") == "near" && label("[7, 7]") == "far")
    #expect(try label("[7, 7]", of: "Points.mlmodel") == "nothing")
    // The written model can be trained further, and be overwritten.
    try folder.write("x,label\n\"[7, 7]\",between", to: "more.csv")
    let more = try CommandRun(
      ["update", "Learnt.mlmodelc", "--data", "more.csv", "--output", "Learnt.mlmodelc"], in: folder)
    #expect(more.status == 0, "\(more.complaint)")
    #expect(try label("[7, 7]") == "between" && label("[9, 9]") == "far")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!left.contains { $0.contains("partial") })
  }

  /// The written model has the number of neighbors that the training was given.
  @Test func theNumberOfNeighborsIsWritten() throws {
    let rows = ["x,label", "\"[0, 0]\",near", "\"[1, 1]\",far", "\"[1, 0]\",far"]
    try folder.write(rows.joined(separator: "\n"), to: "rows.csv")
    for (number, answer) in [("1", "near"), ("3", "far")] {
      let run = try update("--data", "rows.csv", "--parameter", "numberOfNeighbors=\(number)")
      #expect(run.status == 0, "\(run.complaint)")
      #expect(try label("[0.1, 0.1]") == answer)
    }
  }

  @Test func aTrainingKeepsToItsTime() throws {
    let lines = (0..<4000).map { "{\"x\": [\($0), 1], \"label\": \"l\($0)\"}" }
    try folder.write(lines.joined(separator: "\n"), to: "rows.jsonl")
    #expect(try CommandRun(["compile", "Points.mlmodel"], in: folder).status == 0)
    let words = [
      "update", "Points.mlmodelc", "--output", "Learnt.mlmodelc", "--data", "rows.jsonl",
    ]
    try CommandRun(words, in: folder, environment: ["COREML_TRAINING_TIME_LIMIT": "0.0001"])
      .failed(75, naming: "the training took longer than")
    try CommandRun(words + ["--timeout", "0.02"], in: folder).failed(75, naming: "longer than 0.02 s")
    #expect(try !folder.list().contains("Learnt.mlmodelc"))
  }

  @Test func heldBackExamplesTellWhatWasLearnt() throws {
    let lines = (0..<40).map { "{\"x\": [\($0 % 2 * 9), \($0)], \"label\": \"\($0 % 2 == 0 ? "left" : "right")\"}" }
    try folder.write(lines.joined(separator: "\n"), to: "rows.jsonl")
    let run = try update("--data", "rows.jsonl", "--eval", "0.25", "--seed", "3")
    let (before, after) = (try run.json()["before"] as? [String: Any], try run.json()["after"] as? [String: Any])
    #expect(
      before?["accuracy"] as? Double == 0 && after?["accuracy"] as? Double == 1 && after?["examples"] as? Int == 10)
    #expect(try run.json()["examples"] as? Int == 30)
  }

  @Test(arguments: [
    ("x,label\n\"[1, 2, 3]\",near", 65, "example 0"), ("x,label\nnear,near", 65, "row 1"),
    ("x\n\"[1, 2]\"", 65, "'label' is missing"),
    ("x,label", 65, "no examples"), ("x,y\n1,2", 65, "no input 'y'"),
  ])
  func badExamplesAreOneSentence(_ table: String, _ status: Int32, _ words: String) throws {
    try folder.write(table, to: "rows.csv")
    let run = try update("--data", "rows.csv")
    run.failed(status, naming: words)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "Learnt.mlmodelc").path))
  }

  @Test(
    arguments: [
      (["--learning-rate", "0.1"], 65, "no parameter 'learningRate'"),
      (["--parameter", "numberOfNeighbors=-3"], 65, "numberOfNeighbors"),
      (["--parameter", "what=1"], 64, "expected one of"), (["--eval", "1.5"], 64, "--eval"),
      (["--plot", "loss.png"], 64, "no loss"),
    ] as [([String], Int32, String)])
  func badOptionsAreOneSentence(_ options: [String], _ status: Int32, _ words: String) throws {
    try folder.write(Self.rows.joined(separator: "\n"), to: "rows.csv")
    try CommandRun(
      ["update", "Points.mlmodel", "--output", "Learnt.mlmodelc", "--data", "rows.csv"] + options, in: folder
    ).failed(status, naming: words)
  }

  @Test func aModelThatIsNotUpdatableIsRefused() throws {
    try folder.write("image,classLabel\nx.png,one", to: "rows.csv")
    let digits = CommandRun.digits.appending(path: "Digits.mlpackage").path
    try CommandRun(["update", digits, "--data", "rows.csv", "--output", "a.mlmodelc"], in: folder)
      .failed(65, naming: "not updatable")
  }
}
