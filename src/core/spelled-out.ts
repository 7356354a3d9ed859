import {
  beginsAt,
  characterBefore,
  domainAlphabet,
  endsAt,
  localAlphabet,
  scriptsOf,
} from './alphabet.ts'

/**
 * Finds other spellings of an address: for people, such as `anna [at] corp (dot) example`; with blanks,
 * quotes or markup between its parts; as a guest's (`anna_corp.example#EXT#`); or with a tag
 * (`anna+news@corp.example`). Each may belong to another person, so it is only reported. Text and address
 * must be folded in the same way.
 */
export function spelledOutIn(text: string, address: string): [number, number][] {
  const [local = '', domain = ''] = address.split('@')
  return [...text.matchAll(patternOf(address))].flatMap(
    ({ 0: said, index }): [number, number][] => {
      const to = index + said.length
      const alone =
        said !== address &&
        characterBefore(text, index) !== '@' &&
        beginsAt(text, index, localAlphabet(scriptsOf(local))) &&
        endsAt(text, to, domainAlphabet(scriptsOf(domain.split('.').at(-1) ?? '')))
      return alone ? [[index, to]] : []
    },
  )
}

/**
 * Rough patterns for SQL, in lower case. A text in which `spelledOutIn` finds the address matches both,
 * unless more than 81 characters lie between two of its parts.
 */
export function spelledOutPatterns(address: string): { like: string; regex: string } {
  const runs = address.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return { like: `%${runs.join('%')}%`, regex: runs.join('[^a-z0-9].{0,80}') }
}

function patternOf(address: string): RegExp {
  let pattern = patterns.get(address)
  if (pattern === undefined) {
    const [local = '', domain = ''] = address.split('@').map((part) =>
      part
        .split('.')
        .map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
        .join(DOT),
    )
    pattern = new RegExp(`${local}(?:${AT}${domain}|_${domain}(?=#EXT#))`, 'giu')
    if (patterns.size >= MOST_KEPT) patterns.clear()
    patterns.set(address, pattern)
  }
  return pattern
}

const patterns = new Map<string, RegExp>()
const MOST_KEPT = 1_000
const GAP = String.raw`(?:\\[nrt]|<[^<>]{1,40}>|[\s"'()\[\]{}<>*_~|\\-])`
const DOT = String.raw`(?:${GAP}{0,6}\.${GAP}{0,6}|${GAP}{1,6}(?:dot|punkt|punto|point)${GAP}{1,6})`
const AT =
  String.raw`(?:(?:\+[^\s@+]{1,64})?${GAP}{0,6}@${GAP}{0,6}|` +
  String.raw`${GAP}{1,6}(?:at|ät|arroba)${GAP}{1,6}|\s?[(\[]a[)\]]\s?)`
