extension Bytes {
  /// What keeps the memory alive: whoever holds on to `pointer` holds on to this.
  public var owner: AnyObject { storage }
}
