import { skipBlanks, skipString, skipValue, stringAt } from '../../core/values/json-scan.ts'

/** The body from where its JSON begins: a byte-order mark is no part of it. */
export function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

/** `JSON.parse` takes the last of two fields of one name. In the envelope that loses records or pages. */
export function comesTwice(envelope: string, field: string): boolean {
  return topLevelNames(envelope).filter((name) => name === field).length > 1
}

/** The names of the fields of the outermost object, in the order of the text. */
function topLevelNames(text: string): string[] {
  const names: string[] = []
  let at = skipBlanks(text, 0)
  if (text[at] !== '{') return names
  at = skipBlanks(text, at + 1)
  while (text[at] === '"') {
    const keyEnd = skipString(text, at)
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1)
    names.push(stringAt(text, at, keyEnd))
    at = skipBlanks(text, skipValue(text, start))
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
  return names
}
