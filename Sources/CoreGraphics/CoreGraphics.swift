// `CGImage`, and beneath it the pixels that models take.
@_exported import CoreMLImages
// `CGRect` and its kin; on Linux they are Foundation's.
@_exported import Foundation
