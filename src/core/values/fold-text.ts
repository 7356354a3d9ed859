/**
 * A text in the form used to compare persons: composed (NFC) and case-folded, whatever a letter's place in a
 * word. `STRASSE` equals `Straße`, all sigmas are equal, a dotted I equals an I.
 */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toUpperCase()
  // Lower and then upper case: either alone keeps letters apart that are equal in the other case.
  const folded = text.normalize('NFC').toLowerCase().toUpperCase()
  return folded.replaceAll('I\u0307', 'I').normalize('NFC')
}

const BEYOND_ASCII = /\P{ASCII}/u
