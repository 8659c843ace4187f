import CoreMLBase
import CoreMLImages
import CoreMLSpec
import Foundation

/// A plot of a training: the loss of every step in gray, the mean of every epoch in blue.
struct LossPlot {
  private let curve: TrainingSession.Curve
  private let top: Double
  private let bottom: Double

  private static let size = (width: 720, height: 400)
  private static let frame = (left: 76, right: 704, top: 24, bottom: 352)

  init(_ curve: TrainingSession.Curve) throws {
    let losses = (curve.steps + curve.epochs).filter(\.isFinite)
    guard let least = losses.min(), let most = losses.max() else {
      throw Failure(.data, "--plot: the model's training has no loss that could be drawn")
    }
    self.curve = curve
    let span = most > least ? most - least : max(abs(most), 1e-6)
    (top, bottom) = (most + 0.05 * span, min(least - 0.05 * span, least >= 0 ? max(0, least - 0.05 * span) : least))
  }

  func write(to path: String) throws {
    var canvas = try Canvas(width: Self.size.width, height: Self.size.height)
    let frame = Self.frame
    for step in 0...4 {
      let part = Double(step) / 4
      let y = frame.bottom - Int((Double(frame.bottom - frame.top) * part).rounded())
      canvas.line(from: (frame.left, y), to: (frame.right, y), .grid)
      let label = String(format: "%.3g", bottom + (top - bottom) * part)
      canvas.text(label, at: (frame.left - 8 - Canvas.width(of: label), y - 5))
    }
    canvas.line(from: (frame.left, frame.top), to: (frame.left, frame.bottom), .ink)
    canvas.line(from: (frame.left, frame.bottom), to: (frame.right, frame.bottom), .ink)
    canvas.text("loss", at: (frame.left - 8 - Canvas.width(of: "loss"), 6))
    // Steps at the time that they were taken, an epoch's mean at its end. 0 is the start, 1 the end of the training.
    let steps = curve.steps.indices.map { (Double($0 + 1) / Double(curve.steps.count), curve.steps[$0]) }
    let epochs = curve.epochs.indices.map { (Double($0 + 1) / Double(curve.epochs.count), curve.epochs[$0]) }
    canvas.path(steps.map(point), .faint)
    canvas.path(epochs.map(point), .strong)
    for point in epochs.map(point) where curve.epochs.count <= 60 { canvas.dot(point, .strong) }
    for tick in Set((0...4).map { curve.epochs.count * $0 / 4 }).sorted() {
      let x = point((Double(tick) / Double(max(curve.epochs.count, 1)), bottom)).x
      canvas.line(from: (x, frame.bottom), to: (x, frame.bottom + 5), .ink)
      let label = "\(tick)"
      canvas.text(label, at: (x - Canvas.width(of: label) / 2, frame.bottom + 10))
    }
    let label = "epoch"
    canvas.text(label, at: ((frame.left + frame.right - Canvas.width(of: label)) / 2, frame.bottom + 28))
    let file = try FileWriter(path: path)
    try file.append(try ImageEncoder.png(canvas.buffer))
    try file.commit()
  }

  private func point(_ sample: (when: Double, loss: Double)) -> (x: Int, y: Int) {
    let frame = Self.frame
    let height = ((sample.loss - bottom) / (top - bottom)).isFinite ? (sample.loss - bottom) / (top - bottom) : 1
    return (
      frame.left + Int((Double(frame.right - frame.left) * sample.when).rounded()),
      frame.bottom - Int((Double(frame.bottom - frame.top) * min(max(height, 0), 1)).rounded())
    )
  }
}
