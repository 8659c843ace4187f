/// Attention (coremltools, iOS18: `scaled_dot_product_attention`).
enum AttentionOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "scaled_dot_product_attention",
      [.required("query"), .required("key"), .required("value"), .optional("attn_mask")],
      work: { call, outputs in
        let scores =
          Double((try? call.shape("key").dropLast().last?.value) ?? 1)
          * Double((try? call.tensor("query").elementCount) ?? 1)
        let values =
          Double((try? call.shape("key").dropLast().last?.value) ?? 1)
          * Double(outputs.first?.tensor?.elementCount ?? 0)
        return Work(flops: 2 * (scores + values))
      }
    ) { call in
      let query = try call.tensor("query")
      let key = try call.shape("key")
      let value = try call.shape("value")
      let rank = query.rank
      guard rank >= 3, key.count == rank, value.count == rank else {
        throw call.error(
          .invalidShape,
          "query, key and value have the ranks \(rank), \(key.count) and \(value.count): expected one rank of at least 3"
        )
      }
      guard query.shape[rank - 1].agrees(with: key[rank - 1]), key[rank - 2].agrees(with: value[rank - 2]),
        (0..<rank - 2).allSatisfy({ query.shape[$0].agrees(with: key[$0]) && key[$0].agrees(with: value[$0]) })
      else {
        throw call.error(
          .invalidShape,
          "query [..., L, E], key [..., S, E] and value [..., S, EV] do not agree: \(query), \(key), \(value)")
      }
      let scores = Array(query.shape.dropLast()) + [key[rank - 2]]
      if call.has("attn_mask") {
        let mask = try call.shape("attn_mask")
        let broadcast = try call.broadcast(scores, mask)
        guard broadcast.count == scores.count, zip(broadcast, scores).allSatisfy({ $0.agrees(with: $1) }) else {
          throw call.error(.invalidShape, "'attn_mask' is \(mask), it must broadcast to \(scores)")
        }
      }
      return [.tensor(TensorType(query.scalar, Array(query.shape.dropLast()) + [value[rank - 1]]))]
    }
  ]
}
