extension Invocation {
  /// The result of broadcasting two shapes, aligned at the last axis (NumPy's rule).
  package func broadcast(_ a: [Dimension], _ b: [Dimension]) throws -> [Dimension] {
    let rank = max(a.count, b.count)
    var result: [Dimension] = []
    for index in 0..<rank {
      let x = index + a.count >= rank ? a[index + a.count - rank] : 1
      let y = index + b.count >= rank ? b[index + b.count - rank] : 1
      switch (x.value, y.value) {
      case (1, _): result.append(y)
      case (_, 1): result.append(x)
      case (let p?, let q?):
        guard p == q else {
          throw error(.invalidShape, "the shapes [\(a.list)] and [\(b.list)] do not broadcast: \(p) against \(q)")
        }
        result.append(x)
      case (nil, _?): result.append(y)
      default: result.append(x)
      }
    }
    return result
  }
}
