extension Operations {
  static let nearestNeighbors: [OperationDefinition] = [
    // Classes of x by the `k` of the `samples` [samples, features] that are nearest in squared Euclidean distance, of equally near ones
    // the earlier (NearestNeighbors.proto). Each votes for its entry of `labels`, with one vote or, `inverse_distance`, with 1 / distance;
    // where some lie on x itself only they vote. Gives the label with the most votes (of equals the one with the nearest
    // sample; `default` without samples) and the labels with their shares of the votes.
    OperationDefinition(
      "ml.nearest_neighbors",
      [
        .required("x"), .required("samples"), .required("labels"), .required("default"), .required("k"),
        .optional("inverse_distance"),
      ],
      work: { call, _ in Work(flops: 3 * Double((try? call.tensor("samples").elementCount) ?? 1)) }
    ) { call in
      let x = try call.vector("x")
      let samples = try call.shape("samples")
      guard samples.count == 2, samples[1].agrees(with: x), try call.shape("labels").count == 1,
        try call.shape("labels")[0].agrees(with: samples[0])
      else {
        throw call.error(
          .invalidShape,
          "'samples' is \(try call.tensor("samples")) and 'labels' \(try call.tensor("labels")) for \(try call.tensor("x"))"
        )
      }
      let label = try call.requireSingle("default")
      try call.requireList("labels", of: label)
      let key = ValueType.tensor(TensorType(label, [Int]()))
      return [key, .dictionary(key: key, value: .doubleScalar)]
    },
    // The `k` of the `samples` [samples, features] that are nearest to x in squared Euclidean distance, all where there are fewer, of equally
    // near ones the earlier: their rows, the nearest first, and their distances.
    OperationDefinition(
      "ml.nearest_samples", [.required("x"), .required("samples"), .required("k")],
      work: { call, _ in Work(flops: 3 * Double((try? call.tensor("samples").elementCount) ?? 1)) }
    ) { call in
      let x = try call.vector("x")
      let samples = try call.shape("samples")
      guard samples.count == 2, samples[1].agrees(with: x) else {
        throw call.error(
          .invalidShape, "'samples' is \(try call.tensor("samples")) for \(try call.tensor("x"))")
      }
      let k = try call.int("k", atLeast: 0)
      let nearest = [Dimension(samples[0].value.map { min(k, $0) })]
      return [.tensor(TensorType(.int32, nearest)), .tensor(TensorType(.float64, nearest))]
    },
    // What neighbors vote for: each, the nearest first, for its label, by its place among `labels`, which are all different, as
    // `ml.nearest_neighbors` says.
    OperationDefinition(
      "ml.neighbor_votes",
      [.required("distances"), .required("places"), .required("labels"), .optional("inverse_distance")]
    ) { call in
      let (distances, places) = (try call.vector("distances"), try call.tensor("places"))
      guard places.scalar == .int32, places.rank == 1, places.shape[0].agrees(with: distances) else {
        throw call.error(
          .invalidShape, "'places' is \(try call.tensor("places")) for \(try call.tensor("distances"))")
      }
      let labels = try call.tensor("labels")
      try call.requireList("labels", of: labels.scalar)
      let key = ValueType.tensor(TensorType(labels.scalar, [Int]()))
      return [key, .dictionary(key: key, value: .doubleScalar)]
    },
    // Boxes [boxes, 4] (center x, center y, width, height) and confidences [boxes, classes] that are left when, of those whose greatest
    // confidence is `confidence_threshold` or more, from the most confident down, each takes away those that overlap it by more
    // than `iou_threshold`; with `per_class` only those of its own class (NonMaximumSuppression.proto). No more rows than `maximum`,
    // and zeros up to `minimum`. `labels` are the names of the classes,
    // for whoever reads the boxes.
    OperationDefinition(
      "ml.non_maximum_suppression",
      [
        .required("confidence"), .required("coordinates"), .required("iou_threshold"),
        .required("confidence_threshold"), .optional("per_class"), .optional("minimum"), .optional("maximum"),
        .optional("labels"),
      ]
    ) { call in
      let confidence = try call.tensor("confidence", rank: 2)
      let coordinates = try call.tensor("coordinates", rank: 2)
      guard confidence.scalar == .float64, coordinates.scalar == .float64, coordinates.shape[1].agrees(with: 4),
        confidence.shape[0].agrees(with: coordinates.shape[0])
      else {
        throw call.error(.invalidShape, "'confidence' is \(confidence) and 'coordinates' \(coordinates)")
      }
      let minimum = try call.int("minimum", default: 0)
      let maximum = call.has("maximum") ? try call.int("maximum", atLeast: 0) : nil
      guard minimum >= 0, minimum <= maximum ?? Int.max, minimum < 1 << 31 else {
        throw call.error(.invalidArgument, "'minimum' is \(minimum)")
      }
      let rows: Dimension = minimum == maximum ? Dimension(minimum) : .unknown
      return [
        .tensor(TensorType(.float64, [rows, confidence.shape[1]])), .tensor(TensorType(.float64, [rows, 4])),
      ]
    },
  ]
}
