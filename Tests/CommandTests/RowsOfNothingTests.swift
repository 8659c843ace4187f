import FeatureFiles
import Foundation
import TestSupport
import Testing

/// Arrays whose rows have no elements. A header may claim 2^60 of them without any data in the file.
@Suite(.tags(.process)) struct RowsOfNothingTests {
  private let folder: Scratch
  private static let sums = CommandRun.checkout.appending(path: "Tests/Cases/interface/sums.mlmodel").path

  init() throws { folder = try Scratch() }

  private func write(_ arrays: [String: [Int]], to name: String) throws -> String {
    let path = folder.url.appending(path: name).path
    let all = arrays.sorted { $0.key < $1.key }.map { name, shape in
      let count = shape.contains(0) ? 0 : shape.reduce(1, *)
      return (name: name, array: NPYArray(.float32, shape: shape, bytes: Array(repeating: 0, count: 4 * count)))
    }
    try NPZ.write(all, to: path)
    return path
  }

  private func run(_ arguments: [String]) throws -> CommandRun {
    try CommandRun(["predict", Self.sums] + arguments, in: folder, processorTime: 60)
  }

  @Test(arguments: [[1 << 60, 0], [3_000_000_000, 0], [1 << 40, 0, 3], [2, 0]])
  func batchesAreRefused(_ shape: [Int]) throws {
    let path = try write(["a": shape], to: "rows.npz")
    for share in [[], ["--shard", "2/3"]] {
      try run(["--batch", path] + share).failed(65, naming: "\(shape[0]) rows of none")
    }
  }

  /// The arrays with elements determine the number of rows. The first row without elements is reported.
  @Test func anArrayOfThemBesideAnother() throws {
    let path = try write(["a": [2, 0], "b": [2]], to: "rows.npz")
    try run(["--batch", path]).failed(65, naming: "row 1")
  }

  @Test func expectedRowsAreRefused() throws {
    let rows = try write(["a": [2, 1, 3]], to: "rows.npz")
    let nothing = try write(["y": [1 << 60, 0]], to: "expected.npz")
    try run(["--batch", rows, "--compare", nothing]).failed(65, naming: "\(1 << 60) rows of none")
  }

  /// Rows are identified by their numbers if nothing else does, and the expected file may have more rows.
  @Test func expectedRowsAreFoundByNumber() throws {
    let rows = try write(["a": [2, 1, 3]], to: "rows.npz")
    #expect(try run(["--batch", rows, "--output", "out.npz"]).status == 0)
    #expect(try run(["--batch", rows, "--compare", folder.url.appending(path: "out.npz").path]).status == 0)
    let more = try write(["z": [3]], to: "more.npz")
    let fewer = try write(["z": [1]], to: "fewer.npz")
    #expect(try run(["--batch", rows, "--compare", more]).status != 65)
    try run(["--batch", rows, "--compare", fewer]).failed(65, naming: "expected the row 2, found none")
  }

  /// The positions of a shard are counted in the order of the list.
  @Test(arguments: [1, 2, 5, 7, 100])
  func sharesTakeEveryRowOnce(_ count: Int) throws {
    let rows = try write(["a": [7, 1, 3]], to: "rows.npz")
    var found: [String] = []
    for share in 1...min(count, 8) {
      let run = try run(["--batch", rows, "--shard", "\(share)/\(count)", "--json"])
      #expect(run.status == 0)
      found += run.output.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /"row": ?(\d+)/).map { String($0.1) }
      }
    }
    #expect(found.sorted() == (1...7).map(String.init))
  }
}
