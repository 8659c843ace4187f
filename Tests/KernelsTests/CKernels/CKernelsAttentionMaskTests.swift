import CKernels
import Foundation
import Testing

extension CKernelsTests {
  /// Masks of -100 are common, and exp(-100) is subnormal. Many processors multiply subnormals slowly, so the kernels
  /// flush them to zero.
  @Test(
    "subnormal attention weights are flushed to zero, normal ones are kept", arguments: [Float(-100), -80])
  func subnormalShares(masked: Float) {
    let (count, depth, width) = (40, 4, 8), great: Float = 1e38
    let q = [Float](repeating: 0, count: count * depth), k = q
    // Each query attends to the key with its own index, whose values are all 1. The values of the other keys are very
    // large.
    for query in [0, 17, count - 1] {
      let v = (0..<count * width).map { $0 / width == query ? Float(1) : great }
      let mask = (0..<count * count).map { $0 % count == query ? Float(0) : masked }
      let share = exp(Double(masked))
      let others = share < Double(Float.leastNormalMagnitude) ? 0 : Double(count - 1) * share * Double(great)
      let expected = [Double](repeating: 1 + others, count: width)
      withEachISA { isa in
        var head = ck_attention(
          queries: count, keys: count, depth: depth, width: width, query: ck_strides(row: depth, column: 1),
          key: ck_strides(row: depth, column: 1), value: ck_strides(row: width, column: 1),
          out: ck_strides(row: width, column: 1), scale: 1)
        let packed = output(ck_attention_packed_size(&head)) { ck_attention_pack_f32(&head, k, v, $0) }
        var scratch = [Float](repeating: .nan, count: ck_attention_scratch_size(&head))
        var scratchOfOne = [Float](repeating: .nan, count: ck_attention_few_scratch_size(&head))
        mask.withUnsafeBufferPointer { line in
          guard let first = line.baseAddress else { return }
          let masks = [ck_score_mask(numbers: first, row: count, replaces: false)]
          let all = output(count * width, "\(isa) attention") {
            ck_attention_f32(&head, q, packed, masks, 1, $0, &scratch, 0, count)
          }
          let one = output(width, "\(isa) attention of one query") { out in
            k.withUnsafeBufferPointer { keys in
              v.withUnsafeBufferPointer { values in
                guard let keys = keys.baseAddress, let values = values.baseAddress else { return }
                let parts = [
                  ck_attention_part(
                    keys: keys, values: values, key: head.key, value: head.value, count: count,
                    key_stored: CK_STORED_F32, value_stored: CK_STORED_F32)
                ]
                ck_attention_few_f32(&head, q, parts, 1, masks, 1, query, out, &scratchOfOne)
              }
            }
          }
          let own = Array(all[query * width..<(query + 1) * width])
          expectClose(own, expected, relative: 1e-5, absolute: 0, "\(isa) attention, masked by \(masked)")
          expectClose(one, expected, relative: 1e-5, absolute: 0, "\(isa) one query, masked by \(masked)")
        }
      }
    }
  }
}
