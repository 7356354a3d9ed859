import { topLevelFields } from '../../core/records/record-spans.ts'

/** The body from where its JSON begins: a byte-order mark is no part of it. */
export function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

/**
 * `JSON.parse` takes the last of two fields of one name. In the envelope that would lose records or pages.
 * Records may have fields of these names too, so two mentions alone prove nothing.
 */
export function comesTwice(text: string, field: string): boolean {
  const mention = `"${field}"`
  const first = text.indexOf(mention)
  if (first < 0 || text.indexOf(mention, first + mention.length) < 0) return false
  return topLevelFields(text).filter(({ name }) => name === field).length > 1
}
