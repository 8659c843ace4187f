import MIL

/// Makes updates of an fp16 state write fp16 values and slices of it read them, after widening has converted everything
/// to fp32. A key-value cache holds all tokens of all layers, and would otherwise be widened and narrowed for each new
/// token. The written values are fp16, as in the file. If the file updates in fp32, the pass applies only if nothing
/// but the state reads the result.
///
/// `RemoveDeadCode` removes casts without readers.
struct UpdateStatesAsStored: Pass {
  /// Names of the values that are fp16 in the model file.
  private let f16: Set<String>

  init(f16: Set<String>) { self.f16 = f16 }

  func callAsFunction(_ function: Function) -> Function {
    guard function.contains("read_state") else { return function }
    let (types, states, uses) = (function.types, function.stateTypes, Uses(function))
    let operations = function.body.operations
    /// Whether all readers of a value round it to fp16 or are fp16 states.
    func isRounded(_ name: String) -> Bool {
      uses.isPrivate(name)
        && uses.allReaders(of: name).allSatisfy { index in
          switch operations[index].type {
          case "write_state": true
          case "cast": operations[index].outputs.first?.type.tensor?.scalar == .float16
          default: false
          }
        }
    }
    var result = function
    var names = FreshNames(function)
    /// fp16 values that hold the current or the next contents of a state, and the names of their widened versions.
    var stored: Set<String> = []
    var widened: [String: String] = [:]
    /// fp16 values that were rounded from those widened values.
    var rounded: [String: String] = [:]
    result.body.operations = function.body.operations.flatMap { operation -> [Operation] in
      switch operation.type {
      case "read_state":
        guard let output = operation.outputs.first, output.type.tensor?.scalar == .float16 else { break }
        stored.insert(output.name)
      case "cast":
        guard let x = operation.binding("x")?.name, let output = operation.outputs.first else { break }
        switch output.type.tensor?.scalar {
        case .float32: widened[output.name] = stored.contains(x) ? x : rounded[x] ?? widened[x]
        case .float16: rounded[output.name] = widened[x]
        default: break
        }
      case "slice_update":
        guard let wide = operation.binding("x")?.name, let x = widened[wide], let update = operation.inputs["update"],
          update.count == 1, let given = update[0].name.flatMap({ types[$0]?.tensor }) ?? update[0].literalType,
          let output = operation.outputs.first, let type = output.type.tensor, type.scalar == .float32,
          f16.contains(output.name) || isRounded(output.name)
        else { break }
        let (half, narrow) = (names.name(output.name + "__fp16"), names.name(output.name + "__update"))
        let updated = type.with(scalar: .float16)
        var call = operation
        call.inputs["x"] = [.name(x)]
        call.inputs["update"] = [.name(narrow)]
        call.outputs = [NamedType(half, .tensor(updated))]
        call.origins = operation.named
        stored.insert(half)
        widened[output.name] = half
        return [
          Self.cast(update, NamedType(narrow, .tensor(given.with(scalar: .float16))), .float16, of: operation), call,
          Self.cast([.name(half)], output, .float32, of: operation),
        ]
      case "slice_by_index", "slice_by_size":
        guard let x = operation.binding("x")?.name.flatMap({ widened[$0] }), let output = operation.outputs.first,
          let type = output.type.tensor, type.scalar == .float32
        else { break }
        let half = names.name(output.name + "__fp16")
        var call = operation
        call.inputs["x"] = [.name(x)]
        call.outputs = [NamedType(half, .tensor(type.with(scalar: .float16)))]
        call.origins = operation.named
        widened[output.name] = half
        return [call, Self.cast([.name(half)], output, .float32, of: operation)]
      case "write_state":
        guard let data = operation.binding("data")?.name, let half = widened[data] ?? rounded[data],
          operation.stateName.flatMap({ states[$0] })?.scalar == .float16
        else { break }
        var write = operation
        write.inputs["data"] = [.name(half)]
        return [write]
      default: break
      }
      return [operation]
    }
    return result
  }

  private static func cast(_ x: [Binding], _ output: NamedType, _ scalar: ScalarType, of operation: Operation)
    -> Operation
  {
    Operation(
      "cast", inputs: ["x": x, "dtype": [.string(scalar.rawValue)]], outputs: [output], origins: operation.named)
  }
}
