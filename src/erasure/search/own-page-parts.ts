import { STYLE } from '../../report/page/html-style.ts'
import { pageScript } from '../../report/page/table-script.ts'

/**
 * Leaves the script and the style of our pages out of a text that comes piece by piece, where they stand
 * exactly as we write them, read in some encoding: their words are no one's name. Any other script stays, as
 * does one that another version wrote.
 */
export class OwnPageParts {
  readonly #parts: readonly string[]
  #held = ''

  constructor(encoding: string) {
    const decoder = new TextDecoder(encoding)
    const parts = [`<script>${pageScript()}</script>`, `<style>${STYLE}</style>`]
    this.#parts = parts.map((part) => decoder.decode(Buffer.from(part)))
  }

  /** What is known to be none of them so far. */
  add(piece: string): string {
    this.#held += piece
    let kept = ''
    for (;;) {
      const at = this.#held.search(OPENING)
      if (at < 0) return kept + this.#take(Math.max(0, this.#held.length - LONGEST_OPENING))
      kept += this.#take(at)
      const part = this.#parts.find((one) => one.startsWith(this.#held.slice(0, one.length)))
      if (part === undefined) kept += this.#take(1)
      else if (this.#held.length < part.length) return kept
      else this.#held = this.#held.slice(part.length)
    }
  }

  end(): string {
    return this.#take(this.#held.length)
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return taken
  }
}

const OPENING = /<(?:script|style)>/
const LONGEST_OPENING = '<script>'.length
