import CoreMLImages

extension PixelBuffer {
  /// `resized` in plain Swift. `CImages` must agree with it bit for bit.
  func referenceResized(width: Int, height: Int, _ option: ImageCropAndScale = .scaleFill) throws(ImageError)
    -> PixelBuffer
  {
    guard let samples = PixelSamples(pixelFormatType) else {
      return try referenceConverted(to: kCVPixelFormatType_32BGRA).referenceResized(
        width: width, height: height, option)
    }
    switch option {
    case .scaleFitRotate90CCW:
      return try referenceOriented(.left).referenceResized(width: width, height: height, .scaleFit)
    case .scaleFillRotate90CCW:
      return try referenceOriented(.left).referenceResized(width: width, height: height, .scaleFill)
    default: break
    }
    if width == self.width && height == self.height { return self }
    let result = try PixelBuffer(width: width, height: height, pixelFormatType: pixelFormatType)
    let fit = ImageFit(from: (self.width, self.height), to: (width, height), option)
    let columns = ImageFilter(from: fit.left, length: fit.wide, size: self.width, to: fit.width)
    let rows = ImageFilter(from: fit.top, length: fit.high, size: self.height, to: fit.height)
    let channels = samples.channels
    var sums = RowSums(taps: rows.taps, width: fit.width * channels)
    var line = [Float](repeating: 0, count: self.width * channels)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        if let alpha = samples.alpha {
          for pixel in 0..<(width * height) {
            target.storeBytes(of: 255, toByteOffset: pixel * 4 + alpha, as: UInt8.self)
          }
        }
        for y in rows.needed {
          samples.read(source + y * bytesPerRow, into: &line, count: line.count)
          sums.add(columns.applied(to: line, channels: channels), of: y) { row, sums in
            let place = (fit.y + row) * result.bytesPerRow + fit.x * samples.bytesPerPixel
            samples.write(sums, to: target + place, count: sums.count)
          }
        }
      }
    }
    return result
  }
}

/// Maps a part of the source image to a rectangle of the target image.
private struct ImageFit {
  /// The rectangle in the source.
  private(set) var (left, top) = (0.0, 0.0)
  private(set) var (wide, high): (Double, Double)
  /// The rectangle in the target.
  private(set) var (x, y) = (0, 0)
  private(set) var (width, height): (Int, Int)

  init(from source: (width: Int, height: Int), to target: (width: Int, height: Int), _ option: ImageCropAndScale) {
    (wide, high) = (Double(source.width), Double(source.height))
    (width, height) = target
    let scale = (x: Double(width) / wide, y: Double(height) / high)
    switch option {
    case .centerCrop:
      let factor = max(scale.x, scale.y)
      let (cropped, tall) = (Double(width) / factor, Double(height) / factor)
      (left, top) = ((wide - cropped) / 2, (high - tall) / 2)
      (wide, high) = (cropped, tall)
    case .scaleFit:
      let factor = min(scale.x, scale.y)
      width = max(Int((wide * factor).rounded()), 1)
      height = max(Int((high * factor).rounded()), 1)
      (x, y) = ((target.width - width) / 2, (target.height - height) / 2)
    default: break
    }
  }
}

/// The samples of a pixel row.
private struct PixelSamples {
  let channels: Int
  let bytesPerPixel: Int
  /// The offset of the alpha byte in a pixel.
  private(set) var alpha: Int?
  private let format: PixelFormat

  /// nil for planar and for unknown formats.
  init?(_ code: UInt32) {
    guard let format = PixelFormat(code), let size = format.bytesPerPixel else { return nil }
    self.format = format
    bytesPerPixel = size
    if case .colour(_, _, _, let alpha) = format {
      (channels, self.alpha) = (4, alpha)
    } else {
      (channels, self.alpha) = (1, nil)
    }
  }

  func read(_ row: UnsafeRawPointer, into line: inout [Float], count: Int) {
    switch format {
    case .gray16Half:
      for index in 0..<count { line[index] = Float(row.loadUnaligned(fromByteOffset: index * 2, as: Float16.self)) }
    case .gray32Float:
      for index in 0..<count { line[index] = row.loadUnaligned(fromByteOffset: index * 4, as: Float.self) }
    default:
      for index in 0..<count { line[index] = Float(row.load(fromByteOffset: index, as: UInt8.self)) }
    }
  }

  func write(_ line: [Float], to row: UnsafeMutableRawPointer, count: Int) {
    switch format {
    case .gray16Half:
      for index in 0..<count { row.storeBytes(of: Float16(line[index]), toByteOffset: index * 2, as: Float16.self) }
    case .gray32Float:
      for index in 0..<count { row.storeBytes(of: line[index], toByteOffset: index * 4, as: Float.self) }
    default:
      for index in 0..<count {
        row.storeBytes(of: UInt8(min(max(line[index].rounded(), 0), 255)), toByteOffset: index, as: UInt8.self)
      }
    }
  }
}

/// The weights that combine source samples of an axis into each target sample.
private struct ImageFilter {
  let taps: [(first: Int, weights: [Float])]

  /// - Parameters: the `length` samples starting at `start`, on an axis with `size` samples, become `count` samples.
  init(from start: Double, length: Double, size: Int, to count: Int) {
    let step = length / Double(count)
    let reach = max(step, 1)
    taps = (0..<count).map { index in
      let center = start + (Double(index) + 0.5) * step - 0.5
      let first = max(Int((center - reach).rounded(.up)), 0)
      let last = min(Int((center + reach).rounded(.down)), size - 1)
      guard first <= last else { return (min(max(Int(center.rounded()), 0), size - 1), [1]) }
      let weights = (first...last).map { Float(max(1 - abs(Double($0) - center) / reach, 0)) }
      let sum = weights.reduce(0, +)
      return sum > 0 ? (first, weights.map { $0 / sum }) : (min(max(Int(center.rounded()), 0), size - 1), [1])
    }
  }

  /// The range of source samples with any weight.
  var needed: Range<Int> {
    (taps.first?.first ?? 0)..<(taps.last.map { $0.first + $0.weights.count } ?? 0)
  }

  /// The pixel row resized to the target width.
  func applied(to line: [Float], channels: Int) -> [Float] {
    var narrow = [Float](repeating: 0, count: taps.count * channels)
    for (x, tap) in taps.enumerated() {
      for (place, weight) in tap.weights.enumerated() {
        let from = (tap.first + place) * channels
        for channel in 0..<channels { narrow[x * channels + channel] += weight * line[from + channel] }
      }
    }
    return narrow
  }
}

/// Accumulates the target rows from consecutive source rows. It only stores started and incomplete target rows, however
/// many source rows there are.
private struct RowSums {
  let taps: [(first: Int, weights: [Float])]
  let width: Int
  /// The number of complete rows.
  private var done = 0
  /// The rows after those that are started.
  private var begun: [[Float]] = []

  init(taps: [(first: Int, weights: [Float])], width: Int) { (self.taps, self.width) = (taps, width) }

  /// Adds the source row `y`, and passes target rows that are now complete to `complete`.
  mutating func add(_ line: [Float], of y: Int, _ complete: (_ row: Int, _ sums: [Float]) -> Void) {
    while done + begun.count < taps.count, taps[done + begun.count].first <= y {
      begun.append([Float](repeating: 0, count: width))
    }
    for place in begun.indices {
      let weight = taps[done + place].weights[y - taps[done + place].first]
      for x in 0..<width { begun[place][x] += weight * line[x] }
    }
    while let sums = begun.first, y + 1 >= taps[done].first + taps[done].weights.count {
      complete(done, sums)
      begun.removeFirst()
      done += 1
    }
  }
}
