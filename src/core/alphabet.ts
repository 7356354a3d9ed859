/**
 * Whether the ID or address at `from`..`to` is a whole word of the text: no character beside it continues it
 * into a longer one. Letters of a script that the word does not use may touch it.
 */
export function standsAlone(text: string, from: number, to: number): boolean {
  const word = text.slice(from, to)
  const at = word.lastIndexOf('@')
  const [first, last] =
    at < 0
      ? // `old.ID` is another login, but a dot after an ID begins a file type or ends a sentence.
        [{ ...idAlphabet(word), inner: '.' }, idAlphabet(word)]
      : [localAlphabet(scriptsOf(word.slice(0, at))), domainAlphabet(scriptsOf(lastLabel(word)))]
  return beginsAt(text, from, first) && endsAt(text, to, last)
}

/** The characters that continue a word at one end: letters of `scripts` (one bit each) and `signs`. */
interface Alphabet {
  scripts: number
  signs: string
  /** Signs that continue the word only if a character that continues it lies beyond them. */
  inner: string
}

/** Base64 IDs contain `/` and `=`. Neither continues an ID, because both also separate parts of a URL. */
function idAlphabet(id: string): Alphabet {
  const signs = /[+/=]/.test(id) ? '_-+' : '_-'
  return { scripts: scriptsOf(id), signs, inner: id.includes('.') ? '.' : '' }
}

/** No address begins with a dot, so a dot before an address does not continue it on its own. */
export function localAlphabet(scripts: number): Alphabet {
  return { scripts, signs: '_+-', inner: '.' }
}

/** `scripts`: the last label's scripts. A dot or hyphen continues a domain only before a letter or digit. */
export function domainAlphabet(scripts: number): Alphabet {
  return { scripts, signs: '', inner: '.-' }
}

const lastLabel = (address: string): string => address.slice(address.search(/[^@.]*$/))

/** Whether no character before `from` continues the word; `endsAt` checks the characters after the word. */
export function beginsAt(text: string, from: number, alphabet: Alphabet): boolean {
  let at = from
  let before = characterBefore(text, at)
  // A combining mark belongs to the letter before it.
  while (before !== '' && (JOINING.test(before) || alphabet.inner.includes(before))) {
    at -= before.length
    before = characterBefore(text, at)
  }
  if (before === '' || !continues(before, alphabet)) return true
  return LETTER_OF_ESCAPE.test(before) && text[at - 2] === '\\'
}

export function endsAt(text: string, to: number, alphabet: Alphabet): boolean {
  let at = to
  let after = characterAt(text, at)
  while (after !== '' && (UNSEEN_JOINING.test(after) || alphabet.inner.includes(after))) {
    at += after.length
    after = characterAt(text, at)
  }
  if (at === to && MARK.test(after)) return false
  return after === '' || !continues(after, alphabet)
}

/** Digits continue every word; a word without letters counts as Latin. */
function continues(character: string, { scripts, signs }: Alphabet): boolean {
  if (signs.includes(character) || /^[0-9]$/.test(character)) return true
  const script = scriptOf(character)
  return script === DIGIT || (script & (scripts || LATIN)) !== 0
}

export function scriptsOf(text: string): number {
  let scripts = 0
  for (const character of text) scripts |= scriptOf(character)
  return scripts & ~DIGIT
}

/** The bit of a letter's script. A script's own digits, such as Arabic ones, count as its letters. */
export function scriptOf(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 128) return /^[A-Za-z]$/.test(character) ? LATIN : 0
  let script = known.get(code)
  if (script === undefined) known.set(code, (script = findScript(character)))
  return script
}

function findScript(character: string): number {
  if (!/^[\p{L}\p{Nd}]$/u.test(character)) return 0
  // Full-width and other compatibility forms of a letter count as that letter.
  const plain = character.normalize('NFKC')
  if (/^[0-9]/.test(plain)) return DIGIT
  if (/^[A-Za-z]/.test(plain)) return LATIN
  const found = SCRIPTS.findIndex((script) => script.test(character))
  return found < 0 ? OTHER : 1 << found
}

export function characterBefore(text: string, at: number): string {
  const last = text[at - 1] ?? ''
  return LOW.test(last) && HIGH.test(text[at - 2] ?? '') ? text.slice(at - 2, at) : last
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

const known = new Map<number, number>()
export const LATIN = 1
/** Scripts with a bit each. Chinese, Japanese and Korean mix scripts in one word, so theirs share a bit. */
const SCRIPTS = [
  /^\p{scx=Latn}$/u,
  /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}]$/u,
  ...(
    'Cyrl Grek Arab Hebr Thai Deva Beng Guru Gujr Orya Taml Telu ' +
    'Knda Mlym Sinh Laoo Tibt Mymr Khmr Geor Armn Ethi Mong'
  )
    .split(' ')
    .map((name) => new RegExp(`^\\p{scx=${name}}$`, 'u')),
]
const DIGIT = 1 << 29
const OTHER = 1 << 30
/** Invisible characters that join their neighbors: soft hyphen, joiners, variation selectors. */
const UNSEEN_JOINING = /^(?:\u00ad|\u034f|\u200c|\u200d|\u2060|[\ufe00-\ufe0f])$/
const MARK = /^\p{M}$/u
const JOINING = /^(?:\p{M}|\u00ad|\u200c|\u200d|\u2060)$/u
/** In JSON text, the `n` of `\n` belongs to the escape and not to the next word; also in upper case. */
const LETTER_OF_ESCAPE = /^[bfnrt]$/i
const HIGH = /[\ud800-\udbff]/
const LOW = /[\udc00-\udfff]/
