import AllocationCount
import ArgumentParser
import CoreML
import CoreMLDelivery
import Foundation

/// Repeats each action many times on one thread. The growth of the heap per repetition shows leaks.
struct Alone: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints how much of the heap each action keeps, by rounds, as JSON.")

  @OptionGroup var place: Place
  @OptionGroup var channel: Followed
  @Option(help: "What models answer: what 'answers' printed.") var known: String
  @Option(help: "How often each action is done after a quarter as many times before the first look.") var rounds = 200
  @Option(help: "The actions, such as install,prune; all without it.") var only = ""
  @Option(help: "What chance starts from.") var seed: UInt64 = 1

  /// The heap growth of an action.
  private struct Kept: Encodable {
    let action: String
    let rounds: Int
    let begin: Int
    let end: Int
    var bytesEach: Double { Double(end - begin) / Double(rounds) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(action, forKey: .action)
      try container.encode(rounds, forKey: .rounds)
      try container.encode(begin, forKey: .begin)
      try container.encode(end, forKey: .end)
      try container.encode(bytesEach, forKey: .bytesEach)
    }
    enum Key: String, CodingKey { case action, rounds, begin, end, bytesEach }
  }

  func run() throws {
    let known = try JSONDecoder().decode([KnownModel].self, from: Data(contentsOf: URL(filePath: known)))
    let bench = WorkBench(
      place: place, questions: try place.questions(), channel: try channel.open(place), known: known,
      source: { [channel, place] in try channel.open(place) }, installing: Installing(try place.places()))
    let chosen = Set(only.split(separator: ",").map(String.init))
    var chance = Chance(seed: seed)
    for action in Action.all where chosen.isEmpty || chosen.contains(action.name) {
      for _ in 0..<max(rounds / 4, 1) { bench.take(action, &chance) }
      let begin = heap()
      for _ in 0..<rounds { bench.take(action, &chance) }
      let kept = Kept(action: action.name, rounds: rounds, begin: begin, end: heap())
      FileHandle.standardOutput.write(try JSONEncoder().encode(kept) + Data("\n".utf8))
    }
    bench.log.tell()
  }

  /// Returns the heap size after background work has ended.
  private func heap() -> Int {
    usleep(300_000)
    return AllocationCount.held
  }
}
