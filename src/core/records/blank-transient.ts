import { skipBlanks, skipString, skipValue, stringAt } from '../values/json-scan.ts'

/**
 * JSON text with the value of each property named in `names`, and of each whose name is that of a secret, at
 * any depth, replaced by `""`: signed addresses, tokens and passwords are never stored, whether a document
 * names them or not. All other characters stay as they came.
 */
export function blankTransient(source: string, names: readonly string[]): string {
  // Names may be written with escapes, so they are looked for as they are only in a text that has none.
  if (!source.includes('\\')) return blankPlain(source, names)
  let result = ''
  let kept = 0
  let at = source.indexOf('"')
  while (at >= 0) {
    const end = skipString(source, at)
    const colon = skipBlanks(source, end)
    let next = end
    const name = source[colon] === ':' ? stringAt(source, at, end) : undefined
    if (name !== undefined && isSecret(name, names)) {
      const value = skipBlanks(source, colon + 1)
      next = skipValue(source, value)
      result += `${source.slice(kept, value)}""`
      kept = next
    }
    at = source.indexOf('"', next)
  }
  return result + source.slice(kept)
}

/** Without escapes a quote before a colon ends a name, and the quote before that begins it. */
function blankPlain(source: string, names: readonly string[]): string {
  const secrets = namesEnding(names)
  secrets.lastIndex = 0
  let result = ''
  let kept = 0
  while (secrets.test(source)) {
    const colon = secrets.lastIndex
    const end = source.lastIndexOf('"', colon - 1) + 1
    const start = source.lastIndexOf('"', end - 2)
    const name = source.slice(start + 1, end - 1)
    if (!isSecret(name, names)) continue
    const value = skipBlanks(source, colon)
    result += `${source.slice(kept, value)}""`
    kept = skipValue(source, value)
    secrets.lastIndex = kept
  }
  return result + source.slice(kept)
}

/** Finds the end of what may be one of the names or a secret's, with its colon. Kept by the list of names. */
function namesEnding(names: readonly string[]): RegExp {
  const known = ENDINGS.get(names)
  if (known !== undefined) return known
  const either = [SECRET, ...names.map((name) => name.replace(/\W/g, '\\$&'))].join('|')
  const made = new RegExp(`(?:${either})"\\s*:`, 'gi')
  ENDINGS.set(names, made)
  return made
}

/**
 * Of text that is no JSON only what stands before the first name of a secret: where its value would end
 * cannot be told. Letters that are written as escapes could spell such a name.
 */
export function cutAtSecret(text: string): string {
  const at = text.search(SECRET_OR_ESCAPE)
  return at < 0 ? text : text.slice(0, at)
}

function isSecret(name: string, names: readonly string[]): boolean {
  return names.includes(name) || isSecretName(name)
}

/** Whether a field is called as a secret is, so that nothing of its value may be kept. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** The secrets that the service's documents name, and what others of their kind would be called. */
const SECRET =
  '(?:password|passwd|passcode|secret|access_key|private_key|signature|download_access_token' +
  '|access_token|refresh_token|join_url|start_url|meeting_url|download_url|host_key|(?<![A-Za-z])pin)'
const SECRET_NAME = new RegExp(`${SECRET}$`, 'i')
const ENDINGS = new WeakMap<readonly string[], RegExp>()
const SECRET_OR_ESCAPE = new RegExp(`${SECRET}|\\\\u00[4-7]`, 'i')
