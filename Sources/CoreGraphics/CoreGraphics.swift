// `CGImage`, `CGContext` and related types; `CGRect` and related types; Core Foundation's names.
@_exported import CoreMLGraphics
