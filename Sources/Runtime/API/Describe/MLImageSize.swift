/// A width and a height, in pixels.
public final class MLImageSize: Sendable {
  public let pixelsWide: Int
  public let pixelsHigh: Int

  init(pixelsWide: Int, pixelsHigh: Int) {
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
  }
}
