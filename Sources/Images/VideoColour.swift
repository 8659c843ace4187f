import CImages

/// Luma and colour differences in bytes, and colours.
///
/// The weights of red and blue in luma are those of ITU-R BT.601-7 (2.5.1): 0.299 and 0.114. With the video range, luma is 16 to 235 and
/// differences are 16 to 240 around 128 (2.5.3); with the full range all are 0 to 255, as JFIF has them (ITU-T T.871, 7).
///
/// `CImages` converts with it.
struct VideoColour {
  let scales: CImagesVideo

  init(isFullRange: Bool) {
    scales =
      isFullRange
      ? CImagesVideo(offset: 0, luma_scale: 1, difference_scale: 1)
      : CImagesVideo(offset: 16, luma_scale: 219 / 255, difference_scale: 224 / 255)
  }
}
