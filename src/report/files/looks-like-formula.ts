/** The signs that start a formula. Some locales use the full-width signs. */
export const SIGN = '[=+\\-@＝＋－＠]'

/**
 * Matches the beginning of a text that a spreadsheet could read as a formula when it opens a CSV or when a
 * person edits the cell, even after blanks and invisible characters. Also matches an apostrophe, so that
 * removing one apostrophe always restores the value.
 */
export const FORMULA = `(?:[\\t\\r\\n\\0']|[\\s\\p{Cc}\\p{Cf}]*${SIGN})`

/** Whether some spreadsheet could take the text for a formula. */
export function looksLikeFormula(value: string): boolean {
  return !HARMLESS.test(value) && BEGINS.test(value)
}

/** Most cells begin like this, and skip the slow pattern. */
const HARMLESS = /^[0-9A-Za-z]/
const BEGINS = new RegExp(`^${FORMULA}`, 'u')
