import { type JsonSpan, skipBlanks, skipString, skipValue, stringAt } from '../values/json-scan.ts'

/**
 * Where each element of the top-level array field `itemsField` stands in a page's text, so that a record's
 * exact characters can be kept. The text must have been parsed before. A field that comes twice counts the
 * last time, as it does for `JSON.parse`. No such array: no spans.
 */
export function recordSpans(text: string, itemsField: string): JsonSpan[] {
  const field = topLevelFields(text).findLast(({ name }) => name === itemsField)
  return field === undefined ? [] : elements(text, field.value.start)
}

/** Where each element of a text that is an array stands. */
export function elementSpans(text: string): JsonSpan[] {
  return elements(text, skipBlanks(text, 0))
}

/** The fields of the outermost object in the order of the text, those that come twice included. */
export function topLevelFields(text: string): { name: string; value: JsonSpan }[] {
  const fields: { name: string; value: JsonSpan }[] = []
  let at = skipBlanks(text, text.charCodeAt(0) === 0xfeff ? 1 : 0)
  if (text[at] !== '{') return fields
  at = skipBlanks(text, at + 1)
  while (text[at] === '"') {
    const keyEnd = skipString(text, at)
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1)
    const end = skipValue(text, start)
    fields.push({ name: stringAt(text, at, keyEnd), value: { start, end } })
    at = skipBlanks(text, end)
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return fields
}

function elements(text: string, array: number): JsonSpan[] {
  const spans: JsonSpan[] = []
  if (text[array] !== '[') return spans
  let at = skipBlanks(text, array + 1)
  while (text[at] !== ']') {
    const end = skipValue(text, at)
    spans.push({ start: at, end })
    at = skipBlanks(text, end)
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return spans
}
