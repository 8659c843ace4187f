import MIL

/// Writes a loss: the sum of the examples' losses, times a factor that makes it a mean over the mini-batch.
///
/// Categorical cross entropy is the mean of -log p[class] over the examples. Mean squared error is the mean over the
/// examples and their elements. Both equal PyTorch's `cross_entropy` and `mse_loss`.
struct LossWriter {
  let emit: Emitter
  let kind: LossKind
  /// The number of examples, and the batch axis.
  let count: Int
  let axis: Int

  /// The type of the targets: the class index of each example, or numbers in the shape of the loss's input.
  func targetType(_ value: TensorType) -> TensorType {
    switch kind {
    case .categoricalCrossEntropy: TensorType(.int32, [count])
    case .meanSquaredError: value
    }
  }

  /// The number of elements of one example.
  func elements(_ value: Binding) throws -> Int { try emit.shape(value).reduce(1, *) / max(count, 1) }

  /// - Parameter softmax: the input of the softmax, if the probabilities are a softmax over all elements of an example.
  ///   The loss then uses the log-softmax, which avoids the logarithm of a probability that underflowed to zero.
  func write(_ value: Binding, softmax: Binding?, target: Binding, factor: Binding) throws -> Binding {
    switch kind {
    case .categoricalCrossEntropy:
      let classes = try elements(value)
      let logarithms: Binding
      if let softmax {
        // The operations between the softmax and the loss do not reorder the elements.
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
      // Selected instead of multiplied: zero times infinity would be NaN.
      let isChosen = try emit.compare("less", chosen, 0)
      return try emit.mul(sum(emit.neg(emit.keep(logarithms, where: isChosen))), factor)
    case .meanSquaredError:
      let size = try Double(max(elements(value), 1))
      return try emit.mul(emit.mul(sum(emit.square(emit.sub(value, target))), factor), 1 / size)
    }
  }

  /// Reshapes to [examples, elements].
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
