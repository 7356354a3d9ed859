export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/**
 * Folds a text to compare persons: composed (NFC) and without case, wherever a letter stands in its word.
 * `STRASSE` equals `Straße`, all sigmas are equal, a dotted I equals an I.
 */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toUpperCase()
  // Lower and then upper case: either alone keeps letters apart that are equal in the other case.
  const folded = text.normalize('NFC').toLowerCase().toUpperCase()
  return folded.replaceAll('I\u0307', 'I').normalize('NFC')
}

/**
 * Text that can neither forge a line of the log nor move a terminal's cursor: control characters, line
 * separators and marks that reverse the reading direction become blanks.
 */
export function plainText(text: string, longest = 500): string {
  const plain = text.replace(UNSAFE, ' ')
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain
}

// Masks bearer tokens, JWTs, query secrets and passwords in URLs, in case a third-party error contains one.
export function maskSecrets(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, '$1 [secret]')
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '[secret]')
    .replace(
      /([?&;](?:access_token|token|pwd|secret|signature|client_secret)=)[^&\s"']+/gi,
      '$1[secret]',
    )
    .replace(/(\w+:\/\/[^\s:@/]*:)[^\s@/]+@/g, '$1[secret]@')
}

const BEYOND_ASCII = /\P{ASCII}/u

const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
