/**
 * Returns the width of a text in digits of its font, the unit of column widths; at least its number of
 * characters, for programs that lack the font.
 */
export function displayWidth(text: string): number {
  let width = 0
  for (let at = 0; at < text.length; at++) width += widthOf(text.charCodeAt(at))
  return Math.max(width, text.length)
}

/** Counts the lines of a text that wraps between words, and inside words wider than a line. */
export function lineCount(text: string, width: number): number {
  let lines = 1
  let filled = 0
  let word = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const wide = widthOf(unit)
    filled += wide
    word += wide
    if (unit === LINE_FEED) {
      lines++
      filled = 0
      word = 0
    } else if (unit === BLANK || unit === HYPHEN) word = 0
    else if (filled > width) {
      lines++
      if (word === filled) word = wide
      filled = word
    }
  }
  return lines
}

/** Counts characters from U+1100 on (East Asian, emoji) as two wide. A surrogate pair's second unit is 0. */
function widthOf(unit: number): number {
  if (unit < 128) return LATIN[unit] ?? 1
  if (unit < 0x1100) return 1.1
  return unit >= 0xdc00 && unit <= 0xdfff ? 0 : 2
}

/** Widths of Calibri and Carlito in digits of the font, rounded up, and the characters of each. */
const LETTERS: readonly [number, string][] = [
  [0.5, " ijlI.,'"],
  [0.8, 'frstzJ-()[]{}/"!:;'],
  [0.9, 'ckvxyL'],
  [1, '0123456789aegEFSTYZ_+=<>'],
  [1.35, 'ADGHNOQUV&'],
  [1.8, 'mwMW@%'],
]
const LATIN = new Float64Array(128).fill(1.1)
for (const [width, letters] of LETTERS)
  for (const letter of letters) LATIN[letter.charCodeAt(0)] = width

const [LINE_FEED, BLANK, HYPHEN] = [0x0a, 0x20, 0x2d]
