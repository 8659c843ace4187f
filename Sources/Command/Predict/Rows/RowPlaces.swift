/// The rows of a batch that one run predicts, in order: all rows, or those of a share. The rows are computed, not
/// stored, as a small file may hold very many.
struct RowPlaces: RandomAccessCollection {
  private let first: Int
  private let step: Int
  let count: Int

  init(_ rows: Int, share: Shard?) {
    let first = (share?.index ?? 1) - 1
    let step = share?.count ?? 1
    (self.first, self.step) = (first, step)
    count = rows > first ? (rows - first - 1) / step + 1 : 0
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }
  subscript(position: Int) -> Int { first + position * step }
}
