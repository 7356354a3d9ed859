/** The signs that start a formula. Some locales use the full-width ones. */
export const SIGN = '[=+\\-@＝＋－＠]'

/**
 * Matches the beginning of a text that some spreadsheet could take for a formula when it opens a CSV or a
 * person edits the cell. Blanks and invisible characters before the sign do not prevent that everywhere. An
 * apostrophe counts, so removing one apostrophe always gives the value.
 */
export const FORMULA = `(?:[\\t\\r\\n\\0']|[\\s\\p{Cc}\\p{Cf}]*${SIGN})`

/** Whether some spreadsheet could take the text for a formula. */
export function looksLikeFormula(value: string): boolean {
  return !HARMLESS.test(value) && BEGINS.test(value)
}

/** Most text begins like this, which avoids the slow pattern for most cells. */
const HARMLESS = /^[0-9A-Za-z]/
const BEGINS = new RegExp(`^${FORMULA}`, 'u')
