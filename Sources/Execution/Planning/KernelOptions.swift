import CoreMLKernels
import MIL

/// A row that takes an operation.
struct KernelOption: Sendable {
  let implementation: KernelImplementation
  let candidate: Candidate
  /// Estimated seconds, or those that count in the place of an estimate where the row was timed.
  var cost: Double
  /// Seconds that it took on this machine.
  var timed: Double?
  /// What the row does: the operation's own work, unless it does another.
  var work = Work(flops: 0)
}

/// What the rows of a device say of an operation: those that take it, the cheapest first (the earlier one when two cost the same), and
/// the sentences of those that do not.
struct KernelOptions: Sendable {
  var all: [KernelOption] = []
  var refusals: [(kernel: String, reason: String)] = []

  /// Candidates that are known, the cheapest first.
  init(_ all: [KernelOption]) { self.all = all }

  init(_ problem: KernelProblem, work: Work, on kind: DeviceKind, profile: DeviceProfile) throws {
    if kind == .cpu, let nothing = KernelRegistry.nothing(at: problem) {
      all = [KernelOption(implementation: nothing.implementation, candidate: nothing.candidate, cost: 0)]
      return
    }
    for implementation in KernelRegistry.implementations(for: problem.invocation.operation, on: kind) {
      do {
        let candidate = try implementation.match(problem)
        all.append(
          KernelOption(
            implementation: implementation, candidate: candidate, cost: profile.cost(of: candidate, work),
            work: candidate.work ?? work))
      } catch let refusal as Refusal {
        refusals.append((implementation.name, refusal.reason))
      }
    }
    sort()
  }

  private mutating func sort() {
    // The reference goes by definition, number by number: no kernel is slower, whatever is estimated of either.
    if let last = all.firstIndex(where: { $0.implementation.name == "reference" }) {
      all.append(all.remove(at: last))
      all[all.count - 1].cost = all.reduce(0) { max($0, $1.cost) }
    }
    // The sort is stable by construction: places break ties.
    all = all.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
  }

  /// Puts what rows take on this machine in the place of what is estimated, where they are close enough for an estimate to be wrong about them
  /// and take long enough to be worth it.
  mutating func time(at problem: KernelProblem, by timings: KernelTimings, _ pool: ThreadPool, mayMeasure: Bool) throws
  {
    guard let least = all.first?.cost, least >= Self.leastTimed else { return }
    let close = all.indices.filter {
      all[$0].cost < Self.farthestTimed * least && all[$0].implementation.name != "reference"
    }
    guard close.count > 1 else { return }
    let times = try timings.seconds(
      of: close.map { (all[$0].implementation.name, all[$0].candidate) }, at: problem, on: pool, mayMeasure: mayMeasure)
    guard let first = zip(close, times).first(where: { $1 != nil }), let time = first.1 else { return }
    // What is not timed stays as far behind as it is estimated to be.
    let scale = time / all[first.0].cost
    for index in all.indices { all[index].cost *= scale }
    for (index, time) in zip(close, times) {
      guard let time else { continue }
      // What would run by estimate goes on to run where nothing is clearly faster.
      all[index].cost = index == 0 ? Self.clearly * time : time
      all[index].timed = time
    }
    sort()
  }

  private static let (leastTimed, farthestTimed, clearly) = (10e-6, 6.0, 0.98)

  /// The row of this place among those by cost, counted round, before all others: whatever else takes the operation then costs a second
  /// more. For checks, which run every row in turn.
  func favouring(_ place: Int) -> KernelOptions {
    guard all.count > 1 else { return self }
    let favoured = place % all.count
    var copy = self
    for other in all.indices where other != favoured { copy.all[other].cost += 1 }
    copy.all.insert(copy.all.remove(at: favoured), at: 0)
    return copy
  }

  /// Why every row but `chosen` was passed over. `failures` are the sentences of those that could not be prepared.
  func passedOver(by chosen: KernelOption, failures: [String: String]) -> [(kernel: String, reason: String)] {
    all.filter { $0.implementation.name != chosen.implementation.name }.map { other in
      let costs = "\(Self.time(other)), \(Self.time(chosen, by: chosen.implementation.name))"
      return (other.implementation.name, failures[other.implementation.name] ?? costs)
    } + refusals
  }

  private static func time(_ option: KernelOption, by name: String? = nil) -> String {
    let time = "\(((option.timed ?? option.cost) * 1e7).rounded() / 10) us"
    return "\(name ?? (option.timed == nil ? "costs" : "takes")) \(time)"
  }
}
