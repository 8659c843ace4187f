import Foundation
import TestSupport
import Testing

/// `--dump`: the intermediate values of a prediction.
@Suite(.tags(.process)) struct DumpTests {
  private let folder: Scratch
  private let model: String

  init() throws {
    folder = try Scratch()
    model = try WrittenModel.write(
      """
      (tensor<fp32, [2]> x) {
        tensor<fp32, [2]> y = square(x = x);
        tensor<bool, [2]> large = greater(x = y, y = x);
        tensor<fp32, [2]> z = add(x = y, y = x);
        tensor<fp32, [2]> w = exp(x = z);
      } -> (w)
      """, inputs: ["x": [2]], outputs: ["w": [2]], in: folder, named: "Steps")
    try folder.write("{\"x\": [1, 2]}", to: "row.json")
  }

  private func predict(_ words: String...) throws -> CommandRun {
    try CommandRun(["predict", model, "--input", "row.json"] + words, in: folder)
  }

  private func arrays(_ name: String) throws -> [String: [Double]] {
    try NPZFile.read(folder.url.appending(path: name).path)
  }

  @Test func everyStepIsWritten() throws {
    let run = try predict("--dump", "values.npz")
    let plain = try predict()
    #expect(run.status == 0 && run.output == plain.output, "\(run.complaint)")
    let values = try arrays("values.npz")
    #expect(values["y"] == [1, 4] && values["z"] == [2, 6])
    #expect(values["w"].map { $0.map { ($0 * 1000).rounded() } } == [7389, 403_429])
  }

  @Test func oneStepIsWrittenWhereAsked() throws {
    #expect(try predict("--dump", "values.npz", "--dump-value", "z").status == 0)
    #expect(try arrays("values.npz") == ["z": [2, 6]])
    try predict("--dump", "values.npz", "--dump-value", "nothing").failed(65, naming: "array 'nothing'")
    try predict("--dump", "values.json").failed(64, naming: ".npz")
    try predict("--dump-value", "z").failed(64, naming: "needs --dump")
    try CommandRun(["predict", model, "--batch", "in", "--dump", "values.npz"], in: folder).failed(64, naming: "--dump")
  }

  /// A network with convolutions and pooling, whose intermediate values agree with its outputs.
  @Test func valuesOfAPictureModelLeadToItsOutput() throws {
    let digits = CommandRun.digits
    let run = try CommandRun(
      [
        "predict", digits.appending(path: "Digits.mlpackage").path, "--input", digits.appending(path: "seven.png").path,
        "--dump", "all.npz", "--json",
      ], in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    let values = try arrays("all.npz")
    #expect(values.count > 5)
    let probabilities = try #require(run.json()["classLabel_probs"] as? [String: Double])
    let most = try #require(probabilities.values.max())
    #expect(values.values.contains { $0.count == 10 && abs(($0.max() ?? 0) - most) < 1e-4 })
  }
}
