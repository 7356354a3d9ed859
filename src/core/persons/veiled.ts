import { domainToUnicode } from 'node:url'

/**
 * Decodes what may hide a text, up to six layers deep: percent-encoding, escapes of JSON and XML, Unicode's
 * compatibility forms, `xn--` domains and invisible characters. An erasure searches this form too.
 * `callsheet.unveiled` does the same in SQL, except for the domains.
 */
export function unveiledText(text: string): string {
  if (!MAY_BE_VEILED.test(text)) return text
  let plain = text
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const before = plain
    plain = before.replace(VEILED, shownAs)
    if (plain === before) break
  }
  return plain.normalize('NFKC')
}

/** The text as received, the decoded text, and what it says if it is quoted-printable; each once. */
export function readingsOf(text: string): string[] {
  const quoted = mayBeQuoted(text) ? [unveiledText(unquoted(text))] : []
  return [...new Set([text, unveiledText(text), ...quoted])]
}

export function mayBeQuoted(text: string): boolean {
  return MAY_BE_QUOTED.test(text)
}

/**
 * A quoted-printable text with its octets percent-encoded and its soft line breaks made invisible; every
 * character keeps its place. It is a separate reading, because `=40` may be part of a link.
 */
export function unquoted(text: string): string {
  return text
    .replace(/=(?=[0-9A-Fa-f]{2})/g, '%')
    .replace(/=\r?\n/g, (line) => '\u2060'.repeat(line.length))
}

/** A decoded text, and where in the original each of its UTF-16 units came from. */
export interface Unveiled {
  text: string
  from: readonly number[]
  to: readonly number[]
}

/** Returns undefined if nothing is encoded. */
export function unveil(text: string): Unveiled | undefined {
  if (!MAY_BE_VEILED.test(text)) return undefined
  let said: Unveiled = {
    text,
    from: Array.from({ length: text.length }, (_, at) => at),
    to: Array.from({ length: text.length }, (_, at) => at + 1),
  }
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const next = withoutLayer(said)
    if (next.text === said.text) break
    said = next
  }
  return said.text === text ? undefined : said
}

function withoutLayer(said: Unveiled): Unveiled {
  const pieces: string[] = []
  const from: number[] = []
  const to: number[] = []
  let done = 0
  const keep = (until: number): void => {
    pieces.push(said.text.slice(done, until))
    for (let at = done; at < until; at++) {
      from.push(said.from[at] ?? 0)
      to.push(said.to[at] ?? 0)
    }
  }
  for (const match of said.text.matchAll(VEILED)) {
    const end = match.index + match[0].length
    const shown = shownAs(match[0])
    keep(match.index)
    pieces.push(shown)
    for (let at = 0; at < shown.length; at++) {
      from.push(said.from[match.index] ?? 0)
      to.push(said.to[end - 1] ?? 0)
    }
    done = end
  }
  keep(said.text.length)
  return { text: pieces.join(''), from, to }
}

function shownAs(veil: string): string {
  const [first, second = ''] = veil
  if (/^x/i.test(veil)) return domainToUnicode(veil.toLowerCase()) || veil
  if (veil.length > 1 && first === '&') return ofReference(veil)
  if (veil.length > 1 && first === '%' && !/[uU]/.test(second)) return decodeURIComponent(veil)
  if (first !== '\\' && first !== '%')
    return UNSEEN.test(veil) ? '' : veil.normalize('NFKC').replace('\u3002', '.')
  return veil.length > 2 ? ofCode(veil.replace(/^.[uUx]\{?|\}$/g, ''), 16, veil) : second
}

function ofReference(reference: string): string {
  const [, sign = '', inner = ''] = /^&(?:amp;)*(#[Xx]?|)(.*?);?$/.exec(reference) ?? []
  if (sign === '') return NAMED[inner] ?? reference
  return ofCode(inner, sign === '#' ? 10 : 16, reference)
}

function ofCode(digits: string, base: number, veil: string): string {
  const code = Number.parseInt(digits, base)
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : veil
}

/** Each alternative matches one encoded character, so that its neighbors keep their places. */
const PERCENT =
  '%[0-7][0-9A-Fa-f]|%[Cc][2-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Dd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Ee]0%[ABab][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Ee][Dd]%[89][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Ee][1-9A-Ca-cEeFf](?:%[89ABab][0-9A-Fa-f]){2}|%[Ff]0%[9ABab][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}|' +
  '%[Ff][1-3](?:%[89ABab][0-9A-Fa-f]){3}|%[Ff]4%8[0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}|' +
  '%[Uu][0-9A-Fa-f]{4}'
/**
 * Excludes `\n` and similar escapes, which `standsAlone` judges: `CORP\nina` may be Nina of CORP. A backslash
 * before a sign comes from Markdown, LaTeX or a pattern.
 */
const ESCAPE =
  '\\\\u[0-9A-Fa-f]{4}|\\\\u\\{[0-9A-Fa-f]{1,6}\\}|\\\\U[0-9A-Fa-f]{8}|\\\\x[0-9A-Fa-f]{2}|' +
  '\\\\[!-/:-@[-`{-~]'
/** HTML's names for characters that IDs and addresses contain, or that are invisible in them. */
const NAMED: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  plus: '+',
  lowbar: '_',
  UnderBar: '_',
  sol: '/',
  equals: '=',
  shy: '',
  zwj: '',
  zwnj: '',
  ZeroWidthSpace: '',
  NoBreak: '',
}
/** Character references, also in nested markup, where each `&` is itself a reference. */
const REFERENCE =
  '&(?:amp;)*(?:#[0-9]{1,7}(?:;|(?![0-9]))|#[Xx][0-9A-Fa-f]{1,6};|' +
  `(?:${Object.keys(NAMED).join('|')});)`
/** Includes characters that join, separate or reverse letters, and control characters other than blanks. */
const UNSEEN_CLASS = '\\p{Default_Ignorable_Code_Point}\\p{Cf}\\u0000-\\u0008\\u000e-\\u001f\\u007f'
const UNSEEN = new RegExp(`^[${UNSEEN_CLASS}]$`, 'u')
/** A domain's label that contains letters beyond ASCII. */
const LABEL = '(?<![A-Za-z0-9-])[Xx][Nn]--[A-Za-z0-9-]{1,59}'
const VEILED = new RegExp(
  `${PERCENT}|${ESCAPE}|${REFERENCE}|${LABEL}|[${UNSEEN_CLASS}]|\\P{ASCII}`,
  'gu',
)
/** A fast check: a text without a match is certainly not encoded. */
const MAY_BE_VEILED = /%[0-7C-Fc-fUu]|\\|&[#a-zA-Z]|[Xx][Nn]--|[^\t-\r -~]/
const MAY_BE_QUOTED = /=(?:[0-7][0-9A-Fa-f]|\r?\n)/
const LAST_CODE_POINT = 0x10ffff
/** The maximum number of nested encodings, enough for a link in a text in JSON in JSON. */
const MOST_LAYERS = 6
