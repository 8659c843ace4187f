// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CoreGraphics
import CoreMLImages
import Foundation
import Synchronization

/// A file that is to hold a picture: PNG, without alpha.
// Sendable: what changes is behind the lock
public final class CGImageDestination: @unchecked Sendable {
  enum Target {
    case file(URL)
    case memory(NSMutableData)
  }

  private struct State {
    var picture: CGImage?
    var isFinal = false

    /// The picture, for the one who writes it.
    mutating func taken() -> CGImage? {
      defer { picture = nil }
      if picture != nil { isFinal = true }
      return picture
    }
  }

  private let target: Target
  private let state = Mutex(State())

  init?(_ target: Target, _ type: CFString, _ count: Int) {
    guard "\(type)" == PictureFormat.png.typeIdentifier, count == 1 else { return nil }
    self.target = target
  }

  func add(_ image: CGImage) { state.withLock { if $0.picture == nil, !$0.isFinal { $0.picture = image } } }

  func finish() -> Bool {
    guard let image = state.withLock({ $0.taken() }), let bytes = try? ImageEncoder.png(image.pixelBuffer) else {
      return false
    }
    switch target {
    case .file(let url): return (try? Data(bytes).write(to: url, options: .atomic)) != nil
    case .memory(let data): data.append(Data(bytes))
    }
    return true
  }
}

/// A file for one picture; nil for another type than `public.png`, or another number of pictures.
public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(.file(url as URL), type, count)
}

/// A file in memory for one picture; nil for another type than `public.png`, or another number of pictures.
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(.memory(data), type, count)
}

/// Gives the destination its picture. Properties are not written.
public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
  idst.add(image)
}

/// Writes the file, once: whether it could. Without a picture nothing is written, and one may still be added.
@discardableResult
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { idst.finish() }
