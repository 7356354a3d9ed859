/** The signs that start a formula. Some locales use the full-width signs. */
export const SIGN = '[=+\\-@＝＋－＠]'

/**
 * Matches the beginning of a text that a spreadsheet could take for a formula when it opens a CSV or a person
 * edits the cell, even after blanks and invisible characters. It matches an apostrophe too, so removing one
 * apostrophe always restores the value.
 */
export const FORMULA = `(?:[\\t\\r\\n\\0']|[\\s\\p{Cc}\\p{Cf}]*${SIGN})`

/** Whether some spreadsheet could take the text for a formula. */
export function looksLikeFormula(value: string): boolean {
  return !HARMLESS.test(value) && BEGINS.test(value)
}

/** Most cells begin like this, so they skip the slow pattern. */
const HARMLESS = /^[0-9A-Za-z]/
const BEGINS = new RegExp(`^${FORMULA}`, 'u')
