import {
  beginsAt,
  characterBefore,
  domainAlphabet,
  endsAt,
  LATIN,
  localAlphabet,
  scriptOf,
  standsAlone,
} from '../alphabet.ts'
import { LONGEST, SHORTEST_WITHIN } from './identity.ts'
import { mayBeQuoted, unquoted, unveil } from './veiled.ts'

/**
 * Removes the addresses and IDs that name a person, encoded or not, from a longer text; returns it unchanged
 * if there are none. Only whole words count: no part of a longer address or word is removed.
 */
export function withoutPersons(text: string, isPerson: IsPerson): string {
  const left = withoutVeiled(cut(text, personsIn(text, isPerson)), (said) => said, isPerson)
  return mayBeQuoted(left) ? withoutVeiled(left, unquoted, isPerson) : left
}

type IsPerson = (part: string) => boolean
/** The first UTF-16 unit, and the one after the last. */
type Range = readonly [number, number]

/** `reading` must keep every character in its place. */
function withoutVeiled(
  text: string,
  reading: (text: string) => string,
  isPerson: IsPerson,
): string {
  const veiled = unveil(reading(text))
  if (veiled === undefined) return text
  const found = personsIn(veiled.text, isPerson)
  return cut(
    text,
    found.map(([from, to]) => [veiled.from[from] ?? 0, veiled.to[to - 1] ?? 0]),
  )
}

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

/** Searches around each `@`, no further than an address is long, so that it reads a long text only once. */
function addressesIn(text: string, isPerson: IsPerson): Range[] {
  const found: Range[] = []
  let done = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const ends = endsOf(text, at + 1)
    if (ends.length === 0) continue
    const all = beginningsOf(text, at, done).flatMap((from) => ends.map((to): Range => [from, to]))
    const own = all.find(([from, to]) => isPerson(text.slice(from, to)))
    if (own === undefined) continue
    found.push(own)
    done = own[1]
  }
  return found
}

/** Where an address may begin, the longest first: `isPerson` decides between `o'neil@…` and `neil@…`. */
function beginningsOf(text: string, at: number, done: number): number[] {
  const starts: number[] = []
  let from = at
  let scripts = 0
  while (from > done && at - from < LONGEST_LOCAL) {
    const character = characterBefore(text, from)
    if (/^[\s"<>,;:()[\]{}@]/.test(character)) break
    from -= character.length
    scripts |= scriptOf(character)
    if (from <= done || beginsAt(text, from, localAlphabet(scripts))) starts.push(from)
  }
  return starts.reverse()
}

/** Where a domain may end, the longest first: letters of another script may follow it. */
function endsOf(text: string, from: number): number[] {
  DOMAIN.lastIndex = from
  const ends: number[] = []
  let to = from
  let scripts = 0
  for (const character of DOMAIN.exec(text)?.[0] ?? '') {
    to += character.length
    scripts = character === '.' ? 0 : scripts | scriptOf(character)
    if (/^[.-]$/.test(character)) continue
    if (endsAt(text, to, domainAlphabet(scripts))) ends.push(to)
  }
  return ends.reverse()
}

function idsIn(text: string, isPerson: IsPerson): Range[] {
  if (text.length < SHORTEST_WITHIN) return []
  const words = [...text.matchAll(WORD)].flatMap((run) => partsOf(run, boundsIn(run, text)))
  const wide = [...text.matchAll(WIDE)].flatMap((run) => {
    // Base64 IDs contain `/` and `=`, which also separate the parts of a URL.
    const signs = [...run[0].matchAll(/[/=]/g)].flatMap(({ index }) => [index, index + 1])
    const parts = signs.length > MOST_SIGNS ? [] : partsOf(run, [...signs, ...boundsIn(run, text)])
    return parts.filter(([from, to]) => /[+/=]/.test(text.slice(from, to)))
  })
  return [...words, ...wide].filter(
    ([from, to]) => standsAlone(text, from, to) && isPerson(text.slice(from, to)),
  )
}

/** The stretches of a run between two bounds; each may be an ID. */
function partsOf({ index, 0: word }: RegExpExecArray, bounds: readonly number[]): Range[] {
  const ordered = [...new Set([0, ...bounds, word.length])].toSorted((a, b) => a - b)
  return ordered.flatMap((from, at) =>
    ordered.slice(at + 1, at + 1 + MOST_SIGNS).flatMap((to): Range[] => {
      const fits = to - from >= SHORTEST_WITHIN && to - from <= LONGEST
      return fits ? [[index + from, index + to]] : []
    }),
  )
}

/** The bounds of words in a run: where its script changes, and after the letter of an escape. */
function boundsIn({ index, 0: word }: RegExpExecArray, text: string): number[] {
  const bounds = text[index - 1] === '\\' ? [1] : []
  if (!BEYOND_ASCII.test(word)) return bounds
  let at = 0
  let before = 0
  for (const character of word) {
    const own = scriptOf(character)
    const isMark = /^\p{M}$/u.test(character)
    if (!isMark && own !== before && (own > LATIN || before > LATIN)) bounds.push(at)
    if (!isMark) before = own
    at += character.length
  }
  return bounds
}

const LONGEST_LOCAL = 254
const DOMAIN = /[\p{L}\p{M}\p{Nd}.-]{1,254}/uy
/** A run with more bounds at `/` or `=` is not searched for base64 IDs: it may be a whole file in base64. */
const MOST_SIGNS = 16
const WIDE = new RegExp(`[\\p{L}\\p{M}\\p{Nd}_+/=-]{${SHORTEST_WITHIN},}`, 'gu')
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{Nd}_-]{${SHORTEST_WITHIN},}`, 'gu')
const BEYOND_ASCII = /\P{ASCII}/u
