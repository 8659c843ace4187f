import MIL

/// The reason why a loop is not replaced.
struct LoopRefusal: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// A value of one loop iteration, `[batch, width]`, as an expression in the values that the iteration reads. It is a
/// sum of elementwise products of atoms and of products with constant matrices. Products are expanded, so that
/// different formulations of one cell become equal.
struct CellSum {
  /// Sorted numbers of the atoms (`CellAtoms`) that are multiplied. An empty list is the constant 1.
  typealias Monomial = [Int]

  /// `factor` · `scaledBy` · (`matrix` · `source`).
  struct MatrixTerm {
    var scaledBy: Monomial
    var source: Monomial
    var matrix: CellMatrix
    var factor: Double
  }

  var width: Int
  /// The coefficient of each product: a scalar, or one value per column.
  var products: [Monomial: [Double]] = [:]
  var matrices: [MatrixTerm] = []

  /// Limits of an expression. A recurrent cell has fewer terms, and each multiplication would add more.
  static let maximumTerms = 24
  private static let maximumFactors = 4

  /// The number of stored coefficients.
  var size: Int { products.values.reduce(0) { $0 + $1.count } }

  init(width: Int) { self.width = width }

  init(atom: Int, width: Int) {
    self.width = width
    products = [[atom]: [1]]
  }

  /// A constant: a scalar, or one value per column.
  init(constant: [Double], width: Int) {
    self.width = width
    products = [[]: constant]
  }

  /// Whether two expressions are equal. Expressions with matrix products are never equal.
  func isSame(as other: CellSum) -> Bool {
    guard matrices.isEmpty, other.matrices.isEmpty, width == other.width,
      products.keys.count == other.products.keys.count
    else { return false }
    return products.allSatisfy { key, value in
      other.products[key].map { Self.spread(value, width) == Self.spread($0, width) } ?? false
    }
  }

  /// The coefficient of a product, if it is the same for all columns.
  func uniform(_ monomial: Monomial) -> Double? {
    guard let all = products[monomial.sorted()], let first = all.first, all.allSatisfy({ $0 == first }) else {
      return nil
    }
    return first
  }

  static func spread(_ coefficients: [Double], _ width: Int) -> [Double] {
    coefficients.count == width ? coefficients : Array(repeating: coefficients.first ?? 0, count: width)
  }

  // MARK: arithmetic

  func adding(_ other: CellSum, times sign: Double = 1) throws -> CellSum {
    var result = CellSum(width: try Self.common(width, other.width))
    result.products = products
    result.matrices = matrices
    for (key, value) in other.products { result.add(value.map { $0 * sign }, to: key) }
    for var term in other.matrices {
      term.factor *= sign
      result.matrices.append(term)
    }
    // The width of a matrix product is that of its matrix. It cannot be broadcast over columns.
    guard result.matrices.allSatisfy({ $0.matrix.rows.count == result.width }) else {
      throw LoopRefusal("a product of one column is added to several")
    }
    return try result.bounded()
  }

  func multiplied(by other: CellSum) throws -> CellSum {
    var result = CellSum(width: try Self.common(width, other.width))
    guard products.count * other.products.count <= 2 * Self.maximumTerms else {
      throw LoopRefusal("its arithmetic has more terms than a cell")
    }
    for (key, value) in products {
      for (otherKey, otherValue) in other.products {
        result.add(Self.product(value, otherValue), to: (key + otherKey).sorted())
      }
    }
    result.matrices =
      try matrices.flatMap { try $0.multiplied(by: other) } + other.matrices.flatMap { try $0.multiplied(by: self) }
    guard matrices.isEmpty || other.matrices.isEmpty,
      result.matrices.allSatisfy({ $0.matrix.rows.count == result.width })
    else { throw LoopRefusal("two matrix products are multiplied") }
    return try result.bounded()
  }

  /// `matrix` · self.
  func times(_ matrix: CellMatrix) throws -> CellSum {
    guard matrices.isEmpty, matrix.columns.count == width else {
      throw LoopRefusal("a matrix product is multiplied by a matrix")
    }
    var result = CellSum(width: matrix.rows.count)
    for (key, value) in products {
      guard !key.isEmpty, value.count == 1 || width == 1, let factor = value.first else {
        throw LoopRefusal("a matrix multiplies more than products of what a round reads")
      }
      result.matrices.append(MatrixTerm(scaledBy: [], source: key, matrix: matrix, factor: factor))
    }
    return result
  }

  private mutating func add(_ value: [Double], to key: Monomial) {
    guard let known = products[key] else {
      if value.contains(where: { $0 != 0 }) { products[key] = value }
      return
    }
    let count = max(known.count, value.count)
    let sum = zip(Self.spread(known, count), Self.spread(value, count)).map { $0 + $1 }
    products[key] = sum.contains { $0 != 0 } ? sum : nil
  }

  fileprivate static func product(_ a: [Double], _ b: [Double]) -> [Double] {
    let count = max(a.count, b.count)
    return zip(spread(a, count), spread(b, count)).map { $0 * $1 }
  }

  private static func common(_ a: Int, _ b: Int) throws -> Int {
    guard a == b || a == 1 || b == 1 else { throw LoopRefusal("columns do not match") }
    return max(a, b)
  }

  private func bounded() throws -> CellSum {
    guard products.count + matrices.count <= Self.maximumTerms,
      products.keys.allSatisfy({ $0.count <= Self.maximumFactors }),
      matrices.allSatisfy({ $0.scaledBy.count <= Self.maximumFactors })
    else {
      throw LoopRefusal("its arithmetic has more terms than a cell")
    }
    return self
  }
}

extension CellSum.MatrixTerm {
  /// The term multiplied by each product of a sum. The coefficients must be scalars.
  fileprivate func multiplied(by sum: CellSum) throws -> [CellSum.MatrixTerm] {
    try sum.products.map { key, value in
      guard let number = value.first, value.allSatisfy({ $0 == number }) else {
        throw LoopRefusal("a matrix product is scaled by columns")
      }
      return CellSum.MatrixTerm(
        scaledBy: (scaledBy + key).sorted(), source: source, matrix: matrix, factor: factor * number)
    }
  }
}
