/// Creates names for values that passes add to a function. They differ from all names in the function and its blocks.
package struct FreshNames: Sendable {
  private var taken: Set<String>
  /// The last number used for each hint, which keeps the search for the next one short.
  private var last: [String: Int] = [:]

  package init(_ function: Function) { self = function.index.names { FreshNames(of: function) } }

  private init(of function: Function) {
    taken = Set(minimumCapacity: function.inputs.count + function.body.operations.count)
    for input in function.inputs { taken.insert(input.name) }
    function.body.addNames(to: &taken)
  }

  /// `hint`, or `hint` followed by a number.
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
