/**
 * Replaces what may be personal or secret in the service's message: addresses, links, long numbers, tokens,
 * long identifiers, quoted text, and words that look like names. Control characters could forge a log line
 * and become spaces. A name in lower case stays: it cannot be distinguished from other words.
 */
export function describe(message: string): string {
  // The text is cut between words: the patterns below would miss half of an address.
  const shown =
    message.length > MAX_SHOWN ? message.slice(0, MAX_SHOWN).replace(/\S*$/, '…') : message
  return shown
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\S+@\S+/g, '<address>')
    .replace(/https?:\S+/g, '<link>')
    .replace(/access_token=[^\s"'&]*/gi, '<token>')
    .replace(/[\w-]{10,}(?:\.[\w-]{10,}){2}/g, '<token>')
    .replace(/(?<![\w+])(?=[\w/=-]*\d)(?=[\d-]*[A-Za-z])[\w+/=-]{12,}/g, '<id>')
    .replace(/\+?\d[\d ()-]{4,}\d/g, '<number>')
    .replace(/(?<![\p{L}\d])(["'`“‘«„])(?:(?!\1|["'`”’»“]).){1,200}["'`”’»“]/gu, '<text>')
    .replace(LIKE_A_NAME, (word) => (API_WORDS.has(word.toLowerCase()) ? word : '<name>'))
    .replace(/<name>(?:[ .,-]*<name>)+/g, '<name>')
    .trim()
    .replace(/\.$/, '')
}

/** A word with a capital letter or a non-ASCII letter. */
const LIKE_A_NAME =
  /(?<![<\p{L}\p{M}\d_:/-])(?=[\p{L}\p{M}'’-]*(?:\p{Lu}|\P{ASCII}))\p{L}[\p{L}\p{M}'’-]*/gu
/** Words that API messages often capitalize and that are not names. */
const API_WORDS = new Set(
  `a access account all an and api app application are at authentication authorization bad bearer body
  call can cannot code could daily data date does do each email error exception expired failed fault
  feature field file for forbidden format from gateway get has header heavy http https id if in
  internal invalid is it its json jwt label length light limit list maximum medium message method
  minimum missing more must next no not nothing null number numbers oauth of on one only operation
  or page parameter path per permission phone please plan post put query rate recording recordings
  request required resource resource-intensive response retry role scope scopes server service
  session sessions some something status such temporary that the there this time timeout to today
  token too try type unable unauthorized unavailable unexpected unknown unprocessable unsupported
  url use user users utc validation value version was we whiteboard whiteboards with you your`.split(
    /\s+/,
  ),
)
const MAX_SHOWN = 300
