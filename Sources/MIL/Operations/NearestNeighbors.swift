enum NearestNeighborOperations {
  static let all: [OperationDefinition] = [
    // Classifies x by the `k` nearest of the `samples` [samples, features] in squared Euclidean distance
    // (NearestNeighbors.proto). The earlier of equally near samples wins. Each votes for its entry of `labels` with
    // weight 1, or with 1 / distance if `inverse_distance`. If samples equal x, only they vote. Returns the label with
    // the most votes, and all labels with their shares of the votes. With equal votes, the label of the nearest sample
    // wins; without samples, `default` is returned.
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
    // The `k` samples of `samples` [samples, features] that are nearest to x in squared Euclidean distance, or all if
    // there are fewer. The earlier of equally near samples wins. Returns their rows, nearest first, and their
    // distances.
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
    // The vote of `ml.nearest_neighbors`. Neighbors are sorted by distance, nearest first. Each votes for its label,
    // given by its position in the distinct `labels`.
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
    // Non-maximum suppression (NonMaximumSuppression.proto) of boxes [boxes, 4] (center x, center y, width, height)
    // with confidences [boxes, classes]. Boxes whose greatest confidence is at least `confidence_threshold` are visited
    // from the most confident down. Each removes the boxes that overlap it by more than `iou_threshold`; with
    // `per_class` only those of its own class. Returns at most `maximum` rows, padded with zeros to `minimum`. `labels`
    // are the names of the classes, for readers of the result.
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
