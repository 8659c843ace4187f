// `CGImage`, `CGContext` and what belongs to them; `CGRect` and its kin; Core Foundation's names.
@_exported import CoreMLGraphics
