/**
 * A text as a person would read it who undoes what hides it: percent-encoding and the escapes of JSON and XML
 * (also of what is escaped already), Unicode's compatibility forms, and characters that are not seen. Whoever
 * is erased is looked for in this form, too. The same is done in SQL by `callsheet.unveiled`.
 */
export function plainText(text: string): string {
  if (!MAY_BE_VEILED.test(text)) return text
  let plain = text
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const before = plain
    plain = before.replace(VEILED, shownAs)
    if (plain === before) break
  }
  return plain.normalize('NFKC')
}

/** A text without its veils, and where each of its UTF-16 units came from. */
export interface Unveiled {
  text: string
  from: readonly number[]
  to: readonly number[]
}

/** Undefined where nothing is veiled. */
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
  const [first, second] = veil
  if (first === '%' && veil.length > 1) return decodeURIComponent(veil)
  if (first === '&' && veil.length > 1) return ofReference(veil)
  if (first !== '\\') return UNSEEN.test(veil) ? '' : veil.normalize('NFKC')
  return second === 'u' ? String.fromCharCode(Number.parseInt(veil.slice(2), 16)) : (second ?? '')
}

function ofReference(reference: string): string {
  const digits = reference.slice(2, -1)
  const code = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : reference
}

/** Each alternative is one character: what lies beside it stays where it is. */
const PERCENT =
  '%[0-7][0-9A-Fa-f]|%[Cc][2-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Dd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Ee]0%[ABab][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Ee][Dd]%[89][0-9A-Fa-f]%[89ABab][0-9A-Fa-f]|' +
  '%[Ee][1-9A-Ca-cEeFf](?:%[89ABab][0-9A-Fa-f]){2}|%[Ff]0%[9ABab][0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}|' +
  '%[Ff][1-3](?:%[89ABab][0-9A-Fa-f]){3}|%[Ff]4%8[0-9A-Fa-f](?:%[89ABab][0-9A-Fa-f]){2}'
const ESCAPE = '\\\\u[0-9A-Fa-f]{4}|\\\\["\\\\/]|&#(?:[0-9]{1,7}|[Xx][0-9A-Fa-f]{1,6});'
/** Also what joins, separates or turns letters, and control characters that are no blanks. */
const UNSEEN_CLASS = '\\p{Default_Ignorable_Code_Point}\\p{Cf}\\u0000-\\u0008\\u000e-\\u001f\\u007f'
const UNSEEN = new RegExp(`^[${UNSEEN_CLASS}]$`, 'u')
const VEILED = new RegExp(`${PERCENT}|${ESCAPE}|[${UNSEEN_CLASS}]|\\P{ASCII}`, 'gu')
/** Not exact, but fast: what it does not find has nothing of that. */
const MAY_BE_VEILED = /%[0-7C-Fc-f]|\\|&#|[^\t-\r -~]/
const LAST_CODE_POINT = 0x10ffff
/** A link in a text in JSON in JSON, as it were. */
const MOST_LAYERS = 6
