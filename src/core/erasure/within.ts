import { LONGEST, SHORTEST_WITHIN } from './identity.ts'
import { unveil } from './veiled.ts'

/**
 * A longer text without the addresses and IDs in it that name a person, be it veiled; the same text where
 * none does. Each is taken as a whole: neither out of a longer address, nor out of a longer word.
 */
export function withoutPersons(text: string, isPerson: IsPerson): string {
  const left = cut(text, personsIn(text, isPerson))
  const veiled = unveil(left)
  if (veiled === undefined) return left
  const found = personsIn(veiled.text, isPerson)
  return cut(
    left,
    found.map(([from, to]) => [veiled.from[from] ?? 0, veiled.to[to - 1] ?? 0]),
  )
}

type IsPerson = (part: string) => boolean
/** The first unit, and the one after the last. */
type Range = readonly [number, number]

function cut(text: string, ranges: readonly Range[]): string {
  let left = ''
  let done = 0
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (to <= done) continue
    left += text.slice(done, Math.max(done, from))
    done = to
  }
  return done === 0 ? text : left + text.slice(done)
}

function personsIn(text: string, isPerson: IsPerson): Range[] {
  return [...addressesIn(text, isPerson), ...idsIn(text, isPerson)]
}

/** Around each `@`, no further than an address can reach: a text of a million letters is read once. */
function addressesIn(text: string, isPerson: IsPerson): Range[] {
  const found: Range[] = []
  let done = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    DOMAIN.lastIndex = at + 1
    const domain = DOMAIN.exec(text)?.[0].replace(/[.-]+$/, '')
    if (domain === undefined || domain === '') continue
    const to = at + 1 + domain.length
    const from = beginningsOf(text, at, done).find((start) => isPerson(text.slice(start, to)))
    if (from === undefined) continue
    found.push([from, to])
    done = to
  }
  return found
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
    if (from === done || !/[\p{L}\p{M}\p{N}_.+-]/u.test(characterBefore(text, from)))
      starts.push(from)
  }
  return starts.reverse()
}

/** A letter may be two units. */
function characterBefore(text: string, at: number): string {
  const isSecond = /[\udc00-\udfff]/.test(text[at - 1] ?? '')
  return text.slice(at - (isSecond ? 2 : 1), at)
}

function idsIn(text: string, isPerson: IsPerson): Range[] {
  if (text.length < SHORTEST_WITHIN) return []
  const words = [...text.matchAll(WORD)].flatMap(({ index, 0: word }): Range[] =>
    word.length <= LONGEST && isPerson(word) ? [[index, index + word.length]] : [],
  )
  const wide = [...text.matchAll(WIDE)].flatMap(({ index, 0: run }) =>
    partsOf(run)
      .filter(([from, to]) => isPerson(run.slice(from, to)))
      .map(([from, to]): Range => [index + from, index + to]),
  )
  return [...words, ...wide]
}

/** IDs of the base64 alphabet hold the very signs that part a path: each stretch of the run may be one. */
function partsOf(run: string): Range[] {
  const signs = [...run.matchAll(/[/=]/g)].flatMap(({ index }) => [index, index + 1])
  const bounds = [...new Set([0, ...signs, run.length])]
  if (bounds.length > MOST_BOUNDS) return []
  return bounds.flatMap((from, at) =>
    bounds.slice(at + 1).flatMap((to): Range[] => {
      const fits = to - from >= SHORTEST_WITHIN && to - from <= LONGEST
      return fits && /[+/=]/.test(run.slice(from, to)) ? [[from, to]] : []
    }),
  )
}

const LONGEST_LOCAL = 254
const DOMAIN = /[\p{L}\p{M}\p{N}.-]{1,254}/uy
/** Of a longer run, such as a whole file in base64, nothing is an ID. */
const MOST_BOUNDS = 32
const WIDE = new RegExp(`[\\p{L}\\p{N}_+/=-]{${SHORTEST_WITHIN},}`, 'gu')
const WORD = new RegExp(`[\\p{L}\\p{N}_-]{${SHORTEST_WITHIN},}`, 'gu')
