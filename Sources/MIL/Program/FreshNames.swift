/// Names for values that passes add to a function: never one that the function has already, in a block or outside of all.
package struct FreshNames: Sendable {
  private var taken: Set<String>
  /// The last number behind a hint, so that the same one is not searched from its beginning each time.
  private var last: [String: Int] = [:]

  package init(_ function: Function) {
    taken = Set(function.inputs.map(\.name))
    function.body.addNames(to: &taken)
  }

  /// `hint`, or `hint` with a number behind it.
  package mutating func name(_ hint: String) -> String {
    if taken.insert(hint).inserted { return hint }
    var number = last[hint, default: 0] + 1
    while !taken.insert("\(hint)_\(number)").inserted { number += 1 }
    last[hint] = number
    return "\(hint)_\(number)"
  }
}

extension Block {
  fileprivate func addNames(to names: inout Set<String>) {
    for input in inputs { names.insert(input.name) }
    for operation in operations {
      for output in operation.outputs { names.insert(output.name) }
      for block in operation.blocks { block.addNames(to: &names) }
    }
  }
}
