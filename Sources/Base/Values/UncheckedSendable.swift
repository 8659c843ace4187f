/// Carries a value to another thread. No two threads may use the value at the same time.
package struct UncheckedSendable<Value>: @unchecked Sendable {
  package let value: Value
  package init(_ value: Value) { self.value = value }
}
