import Foundation
import TestSupport
import Testing

/// `--shapes`, measured time, manual pages and completion.
@Suite(.tags(.process)) struct ShapeOptionTests {
  private let folder: Scratch
  private static let sums = CommandRun.checkout.appending(path: "Tests/Cases/interface/sums.mlmodel").path
  private static let digits = CommandRun.digits.appending(path: "Digits.mlpackage").path

  init() throws { folder = try Scratch() }

  private func run(_ words: String...) throws -> CommandRun { try CommandRun(words, in: folder) }

  @Test func aPlanIsForTheShapesThatAreAsked() throws {
    let declared = try run("plan", Self.sums, "--json")
    #expect(declared.status == 0 && declared.output.contains("[2, 3]") && !declared.output.contains("[7, 3]"))
    let asked = try run("plan", Self.sums, "--shapes", "a=7x3", "--json")
    #expect(asked.status == 0 && asked.output.contains("[7, 3]"), "\(asked.complaint)")
    try run("plan", Self.sums, "--shapes", "a=9x3").failed(65, naming: "not in allowed range (1..8)")
    try run("plan", Self.sums, "--shapes", "nothing=9x3").failed(64, naming: "no input 'nothing'")
    try run("plan", Self.sums, "--shapes", "a=0x3").failed(64, naming: "sizes of 1 and more")
    try run("plan", Self.digits, "--shapes", "image=99x99").failed(65, naming: "height and width")
  }

  @Test func benchMeasuresShapesForAsLongAsOneSays() throws {
    let run = try run("bench", Self.sums, "--shapes", "a=8x3", "--warm-up", "3", "--seconds", "0.05", "--json")
    #expect(run.status == 0, "\(run.complaint)")
    let count = try #require(run.json()["iterations"] as? Int)
    #expect(count >= 10, "\(run.output)")
    try self.run("bench", Self.sums, "--shapes", "a=9x3").failed(65, naming: "not in allowed range (1..8)")
    try self.run("bench", Self.sums, "--seconds", "1", "--iterations", "3").failed(64, naming: "how long to measure")
    try self.run("bench", Self.sums, "--warm-up", "-1").failed(64, naming: "--warm-up")
  }

  @Test func shellsAreOfferedNamesAndFiles() throws {
    #expect(try run("models", "install", Self.digits, "--name", "Digits").status == 0)
    try folder.write("", to: "models/Net.mlmodel")
    try folder.write("", to: "models/notes.txt")
    try folder.write("", to: "Direct.mlmodel")
    func offered(_ prefix: String, _ command: String...) throws -> [String] {
      let words = ["runtime"] + command + [prefix]
      let run = try CommandRun(
        ["---completion"] + command + ["--", "positional@0", "\(words.count - 1)", "\(prefix.count)"] + words,
        in: folder)
      #expect(run.status == 0, "\(run.complaint)")
      return run.output.split(separator: "\n").map(String.init)
    }
    #expect(try offered("Di", "predict") == ["Direct.mlmodel", "Digits"])
    #expect(try offered("mod", "bench") == ["models/", "models/Net.mlmodel"])
    #expect(try offered("models/N", "plan") == ["models/Net.mlmodel"])
    #expect(try offered("", "models", "show") == ["Digits"])
  }

  /// Each command has a manual page that the system's own programs read without warnings.
  @Test func manualPagesAreMadeOfTheHelp() throws {
    let manual = Process()
    manual.executableURL = URL(filePath: "/usr/bin/python3")
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    manual.arguments = [
      CommandRun.checkout.appending(path: "tools/manual").path, folder.url.appending(path: "man").path, "--command",
      tests.appending(path: "runtime").path,
    ]
    try manual.run()
    manual.waitUntilExit()
    #expect(manual.terminationStatus == 0)
    let pages = try folder.list("man").sorted()
    #expect(
      Set(pages).isSuperset(of: ["runtime.1", "runtime-predict.1", "runtime-publish-diff.1"]) && pages.count > 50)
    let predict = try folder.read("man/runtime-predict.1")
    #expect(predict.contains("\\fB\\-i, \\-\\-input <[name=]file>\\fR") && predict.contains(".SH OPTIONS"))
    for page in pages {
      let text = try folder.read("man/\(page)")
      #expect(text.hasPrefix(".TH \"\(page.dropLast(2).uppercased())\" \"1\""))
      let requests = text.split(separator: "\n").filter { $0.hasPrefix(".") }.map { $0.prefix { $0 != " " } }
      #expect(Set(requests).isSubset(of: [".TH", ".SH", ".PP", ".TP", ".nf", ".fi"]), "\(page)")
      #expect(!text.contains("\n\n") && !text.contains("\n'"), "\(page)")
    }
  }
}
