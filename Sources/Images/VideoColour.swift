import CImages

/// The conversion between 8-bit luma and chroma and colors, which `CImages` computes.
///
/// The weights of red and blue in luma are those of ITU-R BT.601-7 (2.5.1): 0.299 and 0.114. In the video range, luma
/// is 16 to 235 and chroma is 16 to 240 around 128 (2.5.3). In the full range all values are 0 to 255, as in JFIF
/// (ITU-T T.871, 7).
struct VideoColour {
  let scales: CImagesVideo

  init(isFullRange: Bool) {
    scales =
      isFullRange
      ? CImagesVideo(offset: 0, luma_scale: 1, difference_scale: 1)
      : CImagesVideo(offset: 16, luma_scale: 219 / 255, difference_scale: 224 / 255)
  }
}
