import { LONGEST, SHORTEST_WITHIN } from './identity.ts'

/**
 * A longer text without the addresses and IDs in it that name a person; the same text where none does. Each
 * is taken as a whole: neither out of a longer address, nor out of a longer word.
 */
export function withoutPersons(text: string, isPerson: (part: string) => boolean): string {
  return withoutIds(withoutAddresses(text, isPerson), isPerson)
}

/** Around each `@`, no further than an address can reach: a text of a million letters is read once. */
function withoutAddresses(text: string, isPerson: (part: string) => boolean): string {
  let left = ''
  let done = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    DOMAIN.lastIndex = at + 1
    const domain = DOMAIN.exec(text)?.[0].replace(/[.-]+$/, '')
    if (domain === undefined || domain === '') continue
    const to = at + 1 + domain.length
    const from = beginningsOf(text, at, done).find((start) => isPerson(text.slice(start, to)))
    if (from === undefined) continue
    left += text.slice(done, from)
    done = to
  }
  return done === 0 ? text : left + text.slice(done)
}

/**
 * Where an address may begin, the longest first: `o'neil@…` is one, `'neil@…` is quoted, and which of them it
 * is only who is asked knows.
 */
function beginningsOf(text: string, at: number, done: number): number[] {
  const starts: number[] = []
  let from = at
  while (
    from > done &&
    at - from < LONGEST_LOCAL &&
    !/[\s"<>,;:()[\]{}@]/.test(text[from - 1] ?? '')
  ) {
    from--
    if (from === done || !/[\p{L}\p{M}\p{N}_.+-]/u.test(text[from - 1] ?? '')) starts.push(from)
  }
  return starts.reverse()
}

function withoutIds(text: string, isPerson: (part: string) => boolean): string {
  if (text.length < SHORTEST_WITHIN) return text
  return text.replace(WORD, (word) => (word.length <= LONGEST && isPerson(word) ? '' : word))
}

const LONGEST_LOCAL = 254
const DOMAIN = /[\p{L}\p{M}\p{N}.-]{1,254}/uy
const WORD = new RegExp(`[\\p{L}\\p{N}_-]{${SHORTEST_WITHIN},}`, 'gu')
