import CoreMLImages
import Testing

/// Images of 16 bits per channel without gamma information, as Pillow's and numpy's writers produce them. Each sample
/// is 257 times the sample of the 8-bit image.
@Suite struct SixteenBitTests {
  private static let samples = [0, 1, 2, 64, 127, 128, 200, 254, 255]

  private static let gray =
    "iVBORw0KGgoAAAANSUhEUgAAAAkAAAABEAAAAAB5OQfiAAAAG0lEQVR42mNgYGBkZGJycKivb2g4ceLfv///ASmcCA+t2FwNAAAAAElFTkSuQmCC"
  private static let grayWithAlpha =
    "iVBORw0KGgoAAAANSUhEUgAAAAkAAAABEAQAAAD2W5C1AAAAJElEQVR42h3BAQ0AIAgAMDAZzSCeqbibf0SQyTlU0c0M97Lre5ESGf3a3viQAAAAAElF"
    + "TkSuQmCC"
  private static let colour =
    "iVBORw0KGgoAAAANSUhEUgAAAAkAAAABEAIAAADTMM9pAAAAOUlEQVR42hXKsREAIAgDwMRJ2IJShnGPsJktS4meXz+AewGyGxjjHDJibzMpc85MKaLKfa1u"
    + "Uvpbei90FfMY+xwAAAAAAElFTkSuQmCC"
  private static let colourWithAlpha =
    "iVBORw0KGgoAAAANSUhEUgAAAAkAAAABEAYAAABcUlg+AAAAQElEQVR42hXLMREAIAzFUIoSXDBSMfj4dcaKKRquQ+5Naa1BZZZZ9v6eGbifMwZIEWtBhOQO"
    + "9865N2SaSVB3+QFSUCfhC9NMpwAAAABJRU5ErkJggg=="

  @Test(arguments: [gray, grayWithAlpha])
  func grayIsThatOfEightBits(picture: String) throws {
    let image = try Pictures.decode(picture)
    for (x, value) in Self.samples.enumerated() { #expect(Pictures.pixel(image, x, 0) == [value, value, value]) }
  }

  @Test(arguments: [colour, colourWithAlpha])
  func coloursAreThoseOfEightBits(picture: String) throws {
    let image = try Pictures.decode(picture)
    for (x, value) in Self.samples.enumerated() {
      #expect(Pictures.pixel(image, x, 0) == [value, 255 - value, value / 2])
    }
  }
}
