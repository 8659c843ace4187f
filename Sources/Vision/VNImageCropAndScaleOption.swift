import CoreMLImages

/// How a picture of one size becomes one of the size that a model takes.
public typealias VNImageCropAndScaleOption = ImageCropAndScale
