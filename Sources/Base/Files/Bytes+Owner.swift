extension Bytes {
  /// What keeps the memory alive: whoever holds on to `pointer` holds on to this.
  package var owner: AnyObject { storage }
}

extension Bytes {
  /// Lets the system take back the whole pages of a range of a mapped file, which are read again from the file when they are touched. Nothing
  /// happens where `owner`, which keeps the range alive, is not that of a mapped file.
  package static func release(_ range: UnsafeRawBufferPointer, of owner: AnyObject) {
    (owner as? Storage)?.release(range)
  }

  /// Whether `owner`, which keeps a range alive, keeps it secret: copies of it must be, too.
  package static func isSecret(_ owner: AnyObject) -> Bool { (owner as? Storage)?.isSecret ?? false }
}
