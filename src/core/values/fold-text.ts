/**
 * A text in the form in which persons are compared: composed (NFC) and without regard to case, the same for
 * every place of a letter in a word. `STRASSE` is `Straße`, a sigma is a sigma, a dotted I is an I.
 */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toUpperCase()
  // Down and up again: either way alone leaves letters apart that are one in the other case.
  const folded = text.normalize('NFC').toLowerCase().toUpperCase()
  return folded.replaceAll('I\u0307', 'I').normalize('NFC')
}

const BEYOND_ASCII = /\P{ASCII}/u
