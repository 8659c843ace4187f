import CoreMLKernels
import MIL

/// A row that takes an operation.
struct Candidate: Sendable {
  let row: Row
  let offer: Offer
  /// Estimated seconds.
  var cost: Double
  /// What the row does: the operation's own work, unless it does another.
  var work = Work(flops: 0)
}

/// What the rows of a device say of an operation: those that take it, the cheapest first (the earlier one when two cost the same), and
/// the sentences of those that do not.
struct Candidates: Sendable {
  var all: [Candidate] = []
  var refusals: [(row: String, reason: String)] = []

  /// Candidates that are known, the cheapest first.
  init(_ all: [Candidate]) { self.all = all }

  init(_ site: Site, work: Work, on kind: DeviceKind, profile: DeviceProfile) throws {
    if kind == .cpu, let nothing = KernelTable.nothing(at: site) {
      all = [Candidate(row: nothing.row, offer: nothing.offer, cost: 0)]
      return
    }
    for row in KernelTable.rows(for: site.invocation.operation, on: kind) {
      do {
        let offer = try row.offer(site)
        all.append(
          Candidate(row: row, offer: offer, cost: profile.cost(of: offer, work), work: offer.work ?? work))
      } catch let refusal as Refusal {
        refusals.append((row.name, refusal.reason))
      }
    }
    // The reference goes by definition, number by number: no kernel is slower, whatever is estimated of either.
    if let last = all.last, last.row.name == "reference" {
      all[all.count - 1].cost = all.reduce(last.cost) { max($0, $1.cost) }
    }
    // The sort is stable by construction: places break ties.
    all = all.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
  }

  /// The row of this place among those by cost, counted round, before all others: whatever else takes the operation then costs a second
  /// more. For checks, which run every row in turn.
  func favouring(_ place: Int) -> Candidates {
    guard all.count > 1 else { return self }
    let favoured = place % all.count
    var copy = self
    for other in all.indices where other != favoured { copy.all[other].cost += 1 }
    copy.all.insert(copy.all.remove(at: favoured), at: 0)
    return copy
  }

  /// Why every row but `chosen` was passed over. `failures` are the sentences of those that could not be prepared.
  func passedOver(by chosen: Candidate, failures: [String: String]) -> [(row: String, reason: String)] {
    all.filter { $0.row.name != chosen.row.name }.map { other in
      let costs = "costs \(Self.time(other.cost)), \(chosen.row.name) \(Self.time(chosen.cost))"
      return (other.row.name, failures[other.row.name] ?? costs)
    } + refusals
  }

  private static func time(_ seconds: Double) -> String { "\((seconds * 1e7).rounded() / 10) us" }
}
