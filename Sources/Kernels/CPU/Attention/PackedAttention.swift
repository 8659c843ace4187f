import CKernels
import MIL

/// Attention over packed operands. A thread packs the keys and values of an item once for all queries that it
/// processes. In low precision all factors are bf16 pairs; scores and everything computed from them stay fp32.
struct PackedAttention: Sendable {
  private let operands: AttentionOperands
  /// fp32 or bf16 pairs.
  private let numbers: PackedType
  /// Queries that a thread processes as one chunk.
  private let shares: Chunks
  /// Queries whose masks are expanded at a time, for masks that are not rows of fp32 elements.
  private let maskRows: Int
  /// Sizes of a thread's scratch memory in fp32 elements: packed keys and values, intermediate results, mask rows.
  private let parts: [Int]

  /// Limit in fp32 elements for the scratch memory. Beyond it, packing costs more memory than it saves time.
  private static let mostFloats = 16 << 20

  init(_ operands: AttentionOperands, as numbers: PackedType = .floats) throws {
    (self.operands, self.numbers) = (operands, numbers)
    let form = operands.form
    guard form.length >= 4 else { throw Refusal("too few queries to pack keys and values for") }
    guard operands.areFloats else { throw Refusal("keys or values are fp16, or are rounded to fp16 as they are read") }
    guard form.parts.count == 1 else { throw Refusal("the keys are put together from several parts") }
    var head = operands.head(queries: form.length)
    shares = Chunks(form.length, about: form.items >= 2 * operands.threads ? 1 : 2 * operands.threads)
    maskRows = min(max((1 << 16) / form.sources, 14), shares.size)
    let isPaired = numbers == .bf16
    parts = [
      isPaired ? ck_attention_bf16_packed_size(&head) : ck_attention_packed_size(&head),
      isPaired ? ck_attention_bf16_scratch_size(&head) : ck_attention_scratch_size(&head),
      operands.maskFloats(rows: maskRows),
    ].map { ($0 + 15) / 16 * 16 }
    guard parts.reduce(0, +) <= Self.mostFloats else {
      throw Refusal("packed keys, values and scores take more than \(Self.mostFloats >> 18) megabytes a thread")
    }
  }

  var candidate: Candidate {
    let floats = parts.reduce(0, +)
    let form = operands.form
    let (depth, width) = (numbers.count(form.depth), numbers.count(form.width))
    let softmax = Double(depth + width) / Double(depth + width + 40)
    let packing = Double(form.length) / Double(form.length + 8)
    let (length, sources) = (Double(form.length), Double(form.sources))
    let flops = 2 * Double(form.items) * length * sources * Double(depth + width)
    let bytes = 4 * Double(form.items) * (length + sources) * Double(form.depth + form.width)
    var candidate = Candidate.cpu(efficiency: 0.9 * softmax * packing, scratchBytes: floats * 4 * operands.threads) {
      frame in
      frame.pool.run(form.items * shares.count, workers: operands.threads) { items, worker in
        let base = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
        for index in items { run(frame, index / shares.count, shares[index % shares.count], base) }
      }
    }
    if numbers == .bf16 { candidate.work = Work(flops: flops * numbers.multiplication, bytes: bytes) }
    return candidate
  }

  private func run(_ frame: CPUFrame, _ item: Int, _ share: Range<Int>, _ packed: UnsafeMutablePointer<Float>) {
    let (scratch, lines) = (packed + parts[0], packed + parts[0] + parts[1])
    var head = operands.head(queries: share.count)
    let (keys, values) = (operands.key(frame, item), operands.value(frame, item))
    if numbers == .bf16 {
      ck_attention_pack_bf16(&head, keys, values, packed)
    } else {
      ck_attention_pack_f32(&head, keys, values, packed)
    }
    let step = operands.isLaidOut.contains(true) ? maskRows : share.count
    for first in stride(from: share.lowerBound, to: share.upperBound, by: step) {
      let rows = first..<min(first + step, share.upperBound)
      head.queries = rows.count
      let attend = numbers == .bf16 ? ck_attention_bf16_f32 : ck_attention_f32
      attend(
        &head, operands.query(frame, item, row: first), packed, operands.masks(frame, item, rows, lines),
        operands.form.masks.count, operands.output(frame, item, row: first), scratch, 0, rows.count)
    }
  }
}
