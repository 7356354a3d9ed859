import { withoutGuards } from '../../report/files/csv.ts'
import { readText } from '../../report/xlsx/xlsx-text.ts'

/** How a file writes text down, which decides what a text of it can look like. */
export type TextForm = 'xml' | 'html' | 'csv' | 'json' | 'cells' | 'plain'

/** By the name of a file or of a part in one. */
export function formOf(name: string): TextForm {
  const ending = /\.([a-z]+)(?:\.part)?$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return FORMS[ending] ?? 'plain'
}

/** A piece of such a file as a person reads it; several where it can be read in several ways. */
export const READINGS: Readonly<Record<TextForm, (text: string) => readonly string[]>> = {
  // In a cell, a form of its own stands for what XML cannot carry.
  xml: (text) => ofMarkup(text).map(readText),
  // The rows of a page are JSON in it, in which no reference stands.
  html: (text) =>
    ofMarkup(text).flatMap((said) => (said.includes('\\') ? [said, ofEscapes(said)] : [said])),
  // Whoever searches leaves the quotes out too, so that nothing hangs on which of them are doubled. The same
  // holds for apostrophes where guards stand.
  csv: (text) => [withoutGuards(text.replaceAll('"', ''))],
  json: (text) => [ofEscapes(text)],
  // Some of them are JSON.
  cells: (text) => (text.includes('\\') ? [text, ofEscapes(text)] : [text]),
  plain: (text) => [text],
}

/** Attributes count as well, and a text of which some words are bold is one text. */
function ofMarkup(text: string): string[] {
  const joined = text.replace(INLINE_TAG, '')
  return joined.length === text.length
    ? [withoutReferences(text)]
    : [withoutReferences(text), withoutReferences(joined)]
}

/** The references of XML and the commonest one of HTML. */
function withoutReferences(text: string): string {
  return text.replace(REFERENCE, (reference: string, inner: string) => {
    if (!inner.startsWith('#')) return NAMED[inner.toLowerCase()] ?? reference
    const code = Number(inner.slice(1).replace(/^x/i, '0x'))
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : reference
  })
}

function ofEscapes(text: string): string {
  return text.replace(JSON_ESCAPE, (_escape, hex?: string, mark = '') =>
    hex === undefined ? (BLANKS[mark] ?? mark) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

const FORMS: Readonly<Record<string, TextForm>> = {
  xml: 'xml',
  rels: 'xml',
  vml: 'xml',
  svg: 'html',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  ndjson: 'json',
  jsonl: 'json',
}

const REFERENCE = /&(#x[0-9a-f]{1,10}|#\d{1,10}|[a-z]{2,6});/gi
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}
const LAST_CODE_POINT = 0x10ffff
const JSON_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g
const BLANKS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** What only changes how a part of a text looks: in cells, drawings and charts, and in HTML. */
const INLINE =
  'r|t|rPr|rFont|color|sz|family|charset|scheme|vertAlign|strike|outline|shadow|condense|extend|' +
  'latin|ea|cs|solidFill|srgbClr|schemeClr|a|b|i|u|s|em|strong|span|small|mark|code|font|sub|sup|wbr'
const INLINE_TAG = new RegExp(`</?(?:\\w+:)?(?:${INLINE})(?:\\s[^<>]*)?/?>`, 'gi')
