/**
 * Whether some spreadsheet could take the text for a formula, when it opens a CSV or when a person edits the
 * cell. Blanks and invisible characters before the sign do not disarm it everywhere, the full-width signs
 * count in some locales, and an apostrophe counts so that one apostrophe less is always the value.
 */
export function looksLikeFormula(value: string): boolean {
  return !HARMLESS.test(value) && FORMULA.test(value)
}

/** As most text begins: cells are too many for the long way. */
const HARMLESS = /^[0-9A-Za-z]/

const FORMULA = /^(?:[\t\r\n\0']|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u
