// `CGImage` and `CGImagePropertyOrientation`.
@_exported import CoreMLImages
// `CGRect`, `CGSize`, `CGPoint`; Foundation's classes under Core Foundation's names.
@_exported import Foundation
