/** The most characters (UTF-16 units) of a cell. */
export const MAX_CELL_CHARACTERS = 32_767

/**
 * Converts text to the form that a cell can store: cuts long text with a note, and escapes characters that
 * XML cannot contain (control characters, lone surrogates, the two non-characters, CR, which a parser would
 * turn into LF) as `_xHHHH_`, which spreadsheets decode. Text that looks like an escape is escaped itself.
 */
export function cellText(value: string): string {
  if (value.length <= MAX_CELL_CHARACTERS && !CANDIDATE.test(value)) return value
  return cut(value).replace(UNSAFE, (match) =>
    match.startsWith('_') ? `_x005F${match}` : escapeUnit(match),
  )
}

/** Decodes the text of a cell, as a person sees it. */
export function readText(stored: string): string {
  return stored.includes('_x')
    ? stored.replace(ESCAPED, (_form, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    : stored
}

function cut(value: string): string {
  if (value.length <= MAX_CELL_CHARACTERS) return value
  const marker = ` … [cut: ${value.length} characters in all]`
  let end = MAX_CELL_CHARACTERS - marker.length
  const last = value.charCodeAt(end - 1)
  if (last >= 0xd800 && last <= 0xdbff) end--
  return value.slice(0, end) + marker
}

function escapeUnit(unit: string): string {
  return `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
}

/** Matches control characters except tab and LF, lone surrogates, and non-characters. */
const UNFIT = '(?![\\t\\n])\\p{Cc}|\\p{Cs}|[\\ufffe\\uffff]'
/** Also matches text that looks like an escape, or would after the following text is escaped. */
const UNSAFE = new RegExp(`_(?=x[0-9A-Fa-f]{4}(?:_|${UNFIT}))|${UNFIT}`, 'gu')
/** Matches all unsafe text and some safe text, but several times as fast. */
const CANDIDATE = /[^\t\n -~\u00a0-\ud7ff\ue000-\ufffd]|_x/
const ESCAPED = /_x([0-9A-Fa-f]{4})_/g
