import Foundation
import TestSupport
import Testing

/// Images of every format as inputs of the command.
@Suite(.tags(.process)) struct PictureFormatTests {
  private static let model = CommandRun.digits.appending(path: "Digits.mlpackage").path
  private static let pictures = CommandRun.checkout.appending(path: "Tests/Cases/pictures/formats")
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func copy(_ names: [String], to place: String) throws {
    let target = folder.url.appending(path: place)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    for name in names {
      try FileManager.default.copyItem(
        at: Self.pictures.appending(path: name), to: target.appending(path: name.uppercased()))
    }
  }

  /// Each file has the same digit and gives bit-equal probabilities, because the formats are lossless.
  @Test func aFolderMayHaveAllFormats() throws {
    let names = ["seven.bmp", "seven.gif", "seven.tif", "seven.tiff", "seven.webp"]
    try copy(names, to: "in")
    let png = try CommandRun(
      ["predict", Self.model, "--input", CommandRun.digits.appending(path: "seven.png").path, "--json"], in: folder)
    let run = try CommandRun(["predict", Self.model, "--batch", "in"], in: folder)
    #expect(run.status == 0, "\(run.complaint)")
    let rows = run.output.split(separator: "\n")
    #expect(rows.count == names.count)
    for (row, name) in zip(rows, names) {
      #expect(row.replacing("\"row\": \"\(name.uppercased())\", ", with: "") == png.output.dropLast(), "\(name)")
    }
  }

  @Test func anInputMayBeOfEachFormat() throws {
    try copy(["seven.webp", "refused-floats.tiff", "refused-runs.bmp"], to: ".")
    let run = try CommandRun(["predict", Self.model, "--input", "SEVEN.WEBP"], in: folder)
    #expect(run.status == 0 && run.output.hasPrefix("{\"classLabel\": \"seven\""), "\(run.complaint)")
    for (name, word) in [("REFUSED-FLOATS.TIFF", "samples of 32 bits"), ("REFUSED-RUNS.BMP", "run-length")] {
      try CommandRun(["predict", Self.model, "--input", name], in: folder).failed(65, naming: word)
    }
  }

  @Test func aPictureMayComeThroughAPipe() throws {
    try copy(["seven.webp", "refused-runs.bmp"], to: ".")
    for input in ["-", "image=-", "/dev/stdin"] {
      let run = try CommandRun(["predict", Self.model, "--input", input], in: folder, redirection: "< SEVEN.WEBP")
      #expect(run.status == 0 && run.output.hasPrefix("{\"classLabel\": \"seven\""), "\(input): \(run.complaint)")
    }
    let refused = try CommandRun(
      ["predict", Self.model, "--input", "-"], in: folder, redirection: "< REFUSED-RUNS.BMP")
    refused.failed(65, naming: "standard input: ")
    refused.failed(65, naming: "run-length")
    try CommandRun(["predict", Self.model, "--input", "image=-"], in: folder, input: "{}").failed(
      64, naming: "no picture")
  }

  /// libtiff is loaded when it is needed. A file of that name that is not a library simulates a machine without it.
  @Test func aMachineWithoutLibtiffSaysSo() throws {
    try copy(["seven.tiff", "seven.gif"], to: ".")
    try folder.write("no library", to: "libraries/libtiff.so.6")
    let without = ["LD_LIBRARY_PATH": folder.url.appending(path: "libraries").path]
    try CommandRun(["predict", Self.model, "--input", "SEVEN.TIFF"], in: folder, environment: without).failed(
      65, naming: "needs libtiff 4.5 or later")
    #expect(
      try CommandRun(["predict", Self.model, "--input", "SEVEN.GIF"], in: folder, environment: without).status == 0)
  }
}
