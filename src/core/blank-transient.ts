import { skipBlanks, skipString, skipValue, stringAt } from './json-scan.ts'

/**
 * A record's source text with the value of each property named in `names`, at any depth, replaced by `""`:
 * signed addresses and download tokens are used at once and never stored. All other characters stay as they
 * came.
 */
export function blankTransient(source: string, names: readonly string[]): string {
  // Names may be written with escapes, so their absence is believed only in a text that has none.
  if (!source.includes('\\') && !names.some((name) => source.includes(`"${name}"`))) return source
  let result = ''
  let kept = 0
  let at = source.indexOf('"')
  while (at >= 0) {
    const end = skipString(source, at)
    const colon = skipBlanks(source, end)
    let next = end
    if (source[colon] === ':' && names.includes(stringAt(source, at, end))) {
      const value = skipBlanks(source, colon + 1)
      next = skipValue(source, value)
      result += `${source.slice(kept, value)}""`
      kept = next
    }
    at = source.indexOf('"', next)
  }
  return result + source.slice(kept)
}
