import { plainText, readingsOf } from '../../core/persons/veiled.ts'
import { spelledOutIn } from '../../core/spelled-out.ts'
import { foldText } from '../../core/values/fold-text.ts'
import { READINGS, type TextForm } from './unescape-text.ts'

/**
 * Looks for texts in what comes piece by piece, in bounded memory: of what was searched only the end is kept,
 * long enough for a text that goes on in the next piece.
 */
export class TextSearch {
  private readonly needles: readonly string[]
  private readonly form: TextForm
  private readonly kept: number
  private window = ''
  private unsearched = 0
  private found = false

  constructor(needles: readonly string[], form: TextForm) {
    this.form = form
    const folded = needles.flatMap((needle) => READINGS[form === 'csv' ? form : 'plain'](needle))
    const shown = folded.flatMap((needle) => [asShown(needle), asShown(plainText(needle))])
    this.needles = [...new Set(shown)].filter((needle) => needle !== '')
    const longest = Math.max(0, ...this.needles.map(({ length }) => length))
    this.kept = Math.max(LEAST_KEPT, longest * MOST_FOR_A_CHARACTER)
  }

  /** Whether one of them is in what was searched up to here; the last pieces are searched later. */
  add(text: string): boolean {
    if (this.found) return true
    this.window += text
    this.unsearched += text.length
    if (this.unsearched < SEARCHED_AT_ONCE) return false
    return this.search()
  }

  /** Whether one of them was in all that came. */
  end(): boolean {
    return this.found || this.search()
  }

  private search(): boolean {
    for (const reading of READINGS[this.form](this.window)) {
      for (const said of readingsOf(reading)) {
        const folded = asShown(said)
        const names = (needle: string): boolean =>
          folded.includes(needle) ||
          (needle.includes('@') && spelledOutIn(folded, needle).length > 0)
        if (this.needles.some(names)) this.found = true
      }
    }
    this.window = this.window.slice(-this.kept)
    this.unsearched = 0
    return this.found
  }
}

/** What a format cannot carry stands in it as a replacement, so it does on both sides. */
function asShown(text: string): string {
  return foldText(text.toWellFormed().replace(CONTROL, '\ufffd'))
}

/** But for tab and the ends of lines. */
const CONTROL = /[^\P{Cc}\t\n\r]/gu
const SEARCHED_AT_ONCE = 2 ** 17
/** The looks of a few words in a cell take some hundred characters of markup between them. */
const LEAST_KEPT = 2 ** 14
/** A character as `&#x0001F600;`, as `%25EF%25BC%25A1`, or among characters that are not seen. */
const MOST_FOR_A_CHARACTER = 32
