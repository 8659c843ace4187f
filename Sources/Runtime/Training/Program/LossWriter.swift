import MIL

/// Writes a loss: the sum over the examples' losses, times a factor that makes it a mean over the mini-batch.
///
/// Categorical cross entropy is -log p[class], its mean over the examples; mean squared error is the mean over the examples and their
/// elements. Both are what torch's `cross_entropy` and `mse_loss` are.
struct LossWriter {
  let emit: Emitter
  let kind: LossKind
  /// Examples, and the axis that they are along.
  let count: Int
  let axis: Int

  /// The type of the input with the targets: the class of each example, or numbers as the loss's input has them.
  func targetType(_ value: TensorType) -> TensorType {
    switch kind {
    case .categoricalCrossEntropy: TensorType(.int32, [count])
    case .meanSquaredError: value
    }
  }

  /// Elements of one example.
  func elements(_ value: Binding) throws -> Int { try emit.shape(value).reduce(1, *) / max(count, 1) }

  /// - Parameter softmax: what the probabilities are the softmax of, where they are one over all elements of an example: its logarithm is
  ///   taken without that of a number that may have become zero.
  func write(_ value: Binding, softmax: Binding?, target: Binding, factor: Binding) throws -> Binding {
    switch kind {
    case .categoricalCrossEntropy:
      let classes = try elements(value)
      let logarithms: Binding
      if let softmax {
        // What stands between the softmax and the loss keeps the order of the elements.
        let scores = try rows(emit.reshape(softmax, emit.shape(value)), classes)
        let total = try emit(
          "reduce_log_sum_exp", ["x": scores, "axes": .ints([1]), "keep_dims": .bool(true)])
        logarithms = try emit.sub(scores, total)
      } else {
        logarithms = try emit.exactly("log", rows(value, classes))
      }
      let chosen = try emit(
        "one_hot",
        [
          "indices": target, "one_hot_vector_size": .int(classes), "axis": .int(-1),
          "on_value": emit.number(-1, like: logarithms), "off_value": emit.number(0, like: logarithms),
        ])
      // Zero times an infinity would be none: what is not chosen is left out.
      let isChosen = try emit.compare("less", chosen, 0)
      return try emit.mul(sum(emit.neg(emit.keep(logarithms, where: isChosen))), factor)
    case .meanSquaredError:
      let size = try Double(max(elements(value), 1))
      return try emit.mul(emit.mul(sum(emit.square(emit.sub(value, target))), factor), 1 / size)
    }
  }

  /// [examples, elements]
  private func rows(_ value: Binding, _ elements: Int) throws -> Binding {
    let rank = try emit.rank(value)
    let perm = [axis] + (0..<rank).filter { $0 != axis }
    return try emit.reshape(emit.transpose(value, perm), [count, elements])
  }

  private func sum(_ value: Binding) throws -> Binding {
    let rank = try emit.rank(value)
    return try emit.sum(value, Array(0..<rank), keep: false)
  }
}
