import CKernels
import MIL

/// Moves a tensor from one layout to another, on the CPU.
package struct Reorder: Sendable {
  /// Bytes read and written.
  package let work: Work
  package let kernel: PreparedKernel

  /// One of the two layouts must be dense. For any other pair, reorder twice, through the dense layout.
  package init(_ type: TensorType, from source: Layout, to target: Layout) throws {
    let size: Int
    let isPacking: Bool
    switch (source, target) {
    case (.dense, .blocked(let block)): (size, isPacking) = (block, true)
    case (.blocked(let block), .dense): (size, isPacking) = (block, false)
    default: throw KernelError(.noKernel, "no kernel moves a tensor from \(source) to \(target)")
    }
    let isBytes = type.scalar == .int8 || type.scalar == .uint8
    guard isBytes ? size == Int8Blocks.size : type.scalar == .float32, let shape = type.concreteShape, shape.count >= 2,
      size > 0,
      let bytes = Layout.blocked(size).byteCount(of: type), let dense = type.byteCount
    else { throw KernelError(.noKernel, "no kernel moves \(type) from \(source) to \(target)") }
    let (images, channels, area) = (shape[0], shape[1], shape[2...].reduce(1, *))
    let blocks = (channels + size - 1) / size
    work = Work(flops: 0, bytes: Double(bytes + dense))
    let flip = Int8Blocks.flip(type.scalar)
    kernel = .cpu { frame in
      frame.pool.run(images * blocks) { items in
        for item in items {
          let (image, block) = (item / blocks, item % blocks)
          let here = min(size, channels - block * size)
          let (plain, packed) = ((image * channels + block * size) * area, item * size * area)
          let (from, to) = isPacking ? (plain, packed) : (packed, plain)
          if isBytes {
            let (source, target) = (frame.input(0, as: UInt8.self) + from, frame.output(0, as: UInt8.self) + to)
            let move = isPacking ? ck_int8_block : ck_int8_unblock
            move(source, here, area, flip, target)
          } else if isPacking {
            ck_block_channels_f32(frame.input(0) + from, here, area, size, frame.output() + to)
          } else {
            ck_unblock_channels_f32(frame.input(0) + from, here, area, size, frame.output() + to)
          }
        }
      }
    }
  }
}
