import CoreMLImages

/// How an image is fitted to the size of a model's input.
public typealias VNImageCropAndScaleOption = ImageCropAndScale
