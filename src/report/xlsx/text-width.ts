/**
 * How wide the text shows, in digits of its font, by which the width of a column is counted too; no
 * narrower than its letters are many, for programs that lack the font.
 */
export function displayWidth(text: string): number {
  let width = 0
  for (let at = 0; at < text.length; at++) width += widthOf(text.charCodeAt(at))
  return Math.max(width, text.length)
}

/** Whether its length alone says that it is no longer than a line, whatever its letters are. */
export function isOneLine(text: string, width: number): boolean {
  return text.length * WIDEST_LATIN <= width && !UNEVEN.test(text)
}

/** Lines of a text that is wrapped between its words, and inside those that are wider than a line. */
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

/** East Asian letters and emoji take two places; of a letter in two units the first one tells. */
function widthOf(unit: number): number {
  if (unit < 128) return LATIN[unit] ?? 1
  if (unit < 0x1100) return 1.1
  return unit >= 0xdc00 && unit <= 0xdfff ? 0 : 2
}

const WIDEST_LATIN = 1.8
/** Of Calibri, and Carlito that was made to its measure: the letters of each width, rounded up. */
const LETTERS: readonly [number, string][] = [
  [0.5, " ijlI.,:;'"],
  [0.8, 'frstzJ-()[]{}/"!'],
  [0.9, 'ckvxyL'],
  [1, '0123456789aegEFSTYZ_+=<>'],
  [1.35, 'ADGHNOQUV&'],
  [WIDEST_LATIN, 'mwMW@%'],
]
const LATIN = new Float64Array(128).fill(1.1)
for (const [width, letters] of LETTERS)
  for (const letter of letters) LATIN[letter.charCodeAt(0)] = width

const UNEVEN = /[\n\u1100-\uffff]/
const [LINE_FEED, BLANK, HYPHEN] = [0x0a, 0x20, 0x2d]
