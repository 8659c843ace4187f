import CoreMLBase
import MIL

/// The atoms of an iteration's expressions: values that the iteration reads, and functions of other expressions.
struct CellAtoms {
  enum Atom {
    /// The sequence element of the iteration.
    case input
    /// A loop variable at the start of the iteration, or the array element that the previous iteration wrote; by
    /// number.
    case state(Int)
    case activated(FusedActivation, CellSum)
    /// Clamped to a lower and an upper bound.
    case limited(low: Double, high: Double, CellSum)
  }

  /// A column range of an atom.
  private struct Part: Hashable {
    let atom: Int
    let columns: Range<Int>
  }

  private var all: [(atom: Atom, width: Int)] = []
  /// Atoms that are column ranges of others. Ranges that several expressions share are created once.
  private var parts: [Part: Int] = [:]

  /// The limit of atoms. A recurrent cell has fewer.
  static let most = 1 << 10

  subscript(_ number: Int) -> Atom { all[number].atom }

  /// The number of atoms.
  var count: Int { all.count }

  mutating func add(_ atom: Atom, width: Int) throws -> CellSum {
    CellSum(atom: try append(atom, width: width), width: width)
  }

  private mutating func append(_ atom: Atom, width: Int) throws -> Int {
    guard all.count < Self.most else { throw LoopRefusal("a round is made of more than a cell") }
    try Cancellation.check()
    all.append((atom, width))
    return all.count - 1
  }

  /// The number of the first atom for which `isWanted` is true.
  func first(where isWanted: (Atom) -> Bool) -> Int? { all.firstIndex { isWanted($0.atom) } }

  mutating func activated(_ activation: FusedActivation, _ sum: CellSum) throws -> CellSum {
    try add(.activated(activation, sum), width: sum.width)
  }

  /// `sum` clamped. Merges with an existing clamp.
  mutating func limited(_ sum: CellSum, low: Double, high: Double) throws -> CellSum {
    if sum.matrices.isEmpty, sum.products.count == 1, let key = sum.products.keys.first, key.count == 1,
      sum.uniform(key) == 1, case .limited(let before, let after, let inner) = self[key[0]], low <= after,
      high >= before
    {
      return try add(.limited(low: max(low, before), high: min(high, after), inner), width: sum.width)
    }
    return try add(.limited(low: low, high: high, sum), width: sum.width)
  }

  /// A column range of an expression. Values that the iteration reads cannot be split.
  mutating func columns(_ range: Range<Int>, of sum: CellSum) throws -> CellSum {
    guard range != 0..<sum.width else { return sum }
    var result = CellSum(width: range.count)
    for (key, value) in sum.products {
      let monomial = try key.map { try part($0, range) }.sorted()
      result.products[monomial] = value.count == 1 ? value : Array(value[range])
    }
    for term in sum.matrices {
      var term = term
      term.scaledBy = try term.scaledBy.map { try part($0, range) }.sorted()
      term.matrix = term.matrix.part(rows: range)
      result.matrices.append(term)
    }
    return result
  }

  private mutating func part(_ number: Int, _ range: Range<Int>) throws -> Int {
    let key = Part(atom: number, columns: range)
    if let known = parts[key] { return known }
    let atom: Atom
    switch self[number] {
    case .input, .state: throw LoopRefusal("columns of what a round reads are taken apart")
    case .activated(let activation, let sum): atom = .activated(activation, try columns(range, of: sum))
    case .limited(let low, let high, let sum): atom = .limited(low: low, high: high, try columns(range, of: sum))
    }
    let made = try append(atom, width: range.count)
    parts[key] = made
    return made
  }
}
