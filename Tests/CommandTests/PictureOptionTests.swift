import Foundation
import TestSupport
import Testing

/// Images that are cropped and fitted, and nested folders.
@Suite(.tags(.process)) struct PictureOptionTests {
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func copy(_ name: String, to place: String) throws {
    let target = folder.url.appending(path: place)
    try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: CommandRun.digits.appending(path: "\(name).png"), to: target)
  }

  private func predict(_ words: String...) throws -> CommandRun {
    try CommandRun(["predict", Self.model] + words, in: folder)
  }

  /// A wide image that is black except for its middle.
  private func wide() throws {
    let formats = CommandRun.checkout.appending(path: "Tests/Cases/pictures/formats")
    try FileManager.default.copyItem(
      at: formats.appending(path: "wide.bmp"), to: folder.url.appending(path: "wide.bmp"))
  }

  @Test func aMiddleIsAsTheDigitAlone() throws {
    try copy("seven", to: "seven.png")
    try wide()
    let alone = try predict("-i", "seven.png", "--json")
    #expect(try predict("-i", "wide.bmp", "--fit", "crop", "--json").output == alone.output)
    #expect(try predict("-i", "wide.bmp", "--crop", "0.25,0,0.5,1", "--json").output == alone.output)
    let stretched = try predict("-i", "wide.bmp", "--json")
    #expect(stretched.status == 0 && stretched.output != alone.output)
    #expect(try predict("-i", "wide.bmp", "--fit", "fill", "--json").output == stretched.output)
    let whole = try predict("-i", "wide.bmp", "--fit", "fit", "--json")
    #expect(whole.status == 0 && ![alone.output, stretched.output].contains(whole.output))
    // Images that JSON and tables name are fitted as well.
    try folder.write(#"{"image": {"image": "wide.bmp"}}"#, to: "row.json")
    #expect(try predict("--input", "row.json", "--fit", "crop", "--json").output == alone.output)
    #expect(try predict("--set", "image=wide.bmp", "--fit", "crop", "--json").output == alone.output)
  }

  @Test func wrongOptionsAreRefused() throws {
    try predict("--input", "x.png", "--crop", "0,0,2,1").failed(64, naming: "--crop")
    try predict("--input", "x.png", "--fit", "wide").failed(64, naming: "--fit")
    try SmallModels.write(SmallModels.passenger, to: "Passenger.mlmodel", in: folder)
    try CommandRun(
      ["predict", "Passenger.mlmodel", "--set", "Sex=male", "--set", "Age=3", "--fit", "crop"], in: folder
    )
    .failed(64, naming: "no input that takes pictures")
  }

  /// A resumed batch needs the same `--fit`, because results depend on it.
  @Test func aBatchGoesOnOnlyAsItBegan() throws {
    try copy("seven", to: "in/seven.png")
    #expect(try predict("--batch", "in", "-o", "out", "--fit", "crop").status == 0)
    try predict("--batch", "in", "-o", "out", "--resume").failed(65, naming: "--fit")
    #expect(try predict("--batch", "in", "-o", "out", "--fit", "crop", "--resume").status == 0)
  }

  @Test func foldersBelowBelongToABatchWhereAsked() throws {
    try copy("seven", to: "in/seven.png")
    try copy("two", to: "in/more/two.png")
    try copy("zero", to: "in/more/deep/zero.png")
    try copy("five", to: "in/.hidden/five.png")
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "in/more/back").path, withDestinationPath: "..")
    func rows(_ run: CommandRun) throws -> [String] {
      try run.output.split(separator: "\n").compactMap {
        (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["row"] as? String
      }
    }
    #expect(try rows(predict("--batch", "in")) == ["seven.png"])
    #expect(try rows(predict("--batch", "in", "--recursive")) == ["more/deep/zero.png", "more/two.png", "seven.png"])
    #expect(try predict("--batch", "in", "--recursive", "-o", "out").status == 0)
    #expect(try folder.read("out/more/deep/zero.json").contains("\"classLabel\": \"zero\""))
    try copy("three", to: "in/more/three.png")
    #expect(try predict("--batch", "in", "--recursive", "-o", "out", "--resume").status == 0)
    #expect(try folder.list("out/more").sorted() == ["deep", "three.json", "two.json"])
    try predict("--batch", "in", "--recursive", "-o", "in/results").failed(64, naming: "would be rows, too")
    try predict("--recursive").failed(64, naming: "--recursive needs --batch")
    // Results are not written through a symbolic link to a folder.
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "linked"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "linked/more").path, withDestinationPath: "../out")
    try predict("--batch", "in", "--recursive", "-o", "linked").failed(73, naming: "linked/more")
  }
}
