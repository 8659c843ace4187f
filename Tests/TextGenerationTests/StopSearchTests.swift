import Testing

@testable import CoreMLTextGeneration

@Suite struct StopSearchTests {
  /// The texts that come out, and whether a stop sequence was found.
  private func run(_ stops: [String], _ pieces: [String]) -> (texts: [String], isStopped: Bool) {
    var search = StopSearch(stops)
    var texts: [String] = []
    for piece in pieces {
      let (text, isStopped) = search.append(piece)
      texts.append(text)
      if isStopped { return (texts, true) }
    }
    return (texts + [search.finish()], false)
  }

  @Test func sequencesAcrossPiecesAreFound() {
    #expect(run(["END"], ["a E", "N", "D b"]) == (["a ", "", ""], true))
    #expect(run(["END"], ["a E", "N", "d b"]) == (["a ", "", "ENd b", ""], false))
    #expect(run(["aab"], ["aa", "ab"]) == (["", "a"], true))
  }

  @Test func theFirstSequenceWins() {
    #expect(run(["b", "ab"], ["xab"]) == (["x"], true))
    #expect(run(["é"], ["caf", "è é"]) == (["caf", "è "], true))
  }

  @Test func heldTextComesAtTheEnd() {
    #expect(run(["###"], ["a##"]) == (["a", "##"], false))
    #expect(run([], ["a", "b"]) == (["a", "b", ""], false))
  }
}

private func == (left: (texts: [String], isStopped: Bool), right: ([String], Bool)) -> Bool {
  left.texts == right.0 && left.isStopped == right.1
}
