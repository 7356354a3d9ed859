/** The signs that make a formula. Some locales use the full-width ones. */
export const SIGN = '[=+\\-@＝＋－＠]'

/**
 * The beginning of a text that some spreadsheet could take for a formula, when it opens a CSV or when a
 * person edits the cell. Blanks and invisible characters before the sign do not disarm it everywhere. An
 * apostrophe counts, so that one apostrophe less is always the value.
 */
export const FORMULA = `(?:[\\t\\r\\n\\0']|[\\s\\p{Cc}\\p{Cf}]*${SIGN})`

/** Whether some spreadsheet could take the text for a formula. */
export function looksLikeFormula(value: string): boolean {
  return !HARMLESS.test(value) && BEGINS.test(value)
}

/** Most text begins like this: cells are too many for the long way. */
const HARMLESS = /^[0-9A-Za-z]/
const BEGINS = new RegExp(`^${FORMULA}`, 'u')
