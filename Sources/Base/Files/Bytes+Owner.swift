extension Bytes {
  /// The object that keeps the memory at `pointer` alive.
  package var owner: AnyObject { storage }
}

extension Bytes {
  /// Allows the system to reclaim the whole pages in a range of a mapped file. They are read from the file again at the
  /// next access. Has no effect if `owner`, which keeps the range alive, is not a mapped file.
  package static func release(_ range: UnsafeRawBufferPointer, of owner: AnyObject) {
    (owner as? Storage)?.release(range)
  }

  /// Whether `owner`, which keeps a range alive, is secret. Copies must then be secret too.
  package static func isSecret(_ owner: AnyObject) -> Bool { (owner as? Storage)?.isSecret ?? false }
}
