import { MAX_CELL_CHARACTERS, readText } from '../../report/xlsx/xlsx-text.ts'
import { unreadable, type XlsxParts } from './xlsx-parts.ts'

/**
 * The workbook's shared strings. LibreOffice stores all text there, up to a million strings for a list of
 * 200,000 rows, so they are packed outside the heap.
 */
export interface SharedTexts {
  /** Returns the text at an index; undefined if there is none. */
  at(index: number): string | undefined
}

export async function readSharedTexts(
  parts: XlsxParts,
  name: string | undefined,
): Promise<SharedTexts> {
  const packed = new PackedTexts()
  if (name !== undefined) {
    let item = ''
    let inText = false
    let phonetic = 0
    const handler = {
      open(element: string) {
        if (element === 'si') item = ''
        else if (element === 'rPh') phonetic++
        inText = element === 't' && phonetic === 0
      },
      close(element: string) {
        inText = false
        if (element === 'rPh') phonetic--
        else if (element === 'si' && !packed.add(item))
          throw unreadable(parts.path, 'it contains more text than Callsheet can read')
      },
      text(text: string) {
        if (!inText) return
        item += text
        if (item.length > MOST_STORED)
          throw new Error(`a text of more than the ${MAX_CELL_CHARACTERS} characters of a cell`)
      },
    }
    await parts.read(name, handler, MOST_XML_BYTES)
  }
  return packed
}

class PackedTexts implements SharedTexts {
  private bytes = Buffer.alloc(2 ** 16)
  private ends = new Uint32Array(2 ** 12)
  private count = 0
  private given = 0

  /** Returns false when the table is full. */
  add(text: string): boolean {
    const start = this.end(this.count - 1)
    const end = start + Buffer.byteLength(text)
    if (end > MOST_BYTES || this.count >= MOST_TEXTS) return false
    if (end > this.bytes.length) {
      const wider = Buffer.alloc(Math.max(end, this.bytes.length * 2))
      this.bytes.copy(wider, 0, 0, start)
      this.bytes = wider
    }
    if (this.count === this.ends.length) {
      const wider = new Uint32Array(this.ends.length * 2)
      wider.set(this.ends)
      this.ends = wider
    }
    this.bytes.write(text, start)
    this.ends[this.count++] = end
    return true
  }

  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.count) return undefined
    const [start, end] = [this.end(index - 1), this.end(index)]
    this.given += Math.max(0, end - start - FREE_BYTES)
    if (this.given > MOST_BYTES) throw new Error('one long text in more cells than can be read')
    return readText(this.bytes.toString('utf8', start, end))
  }

  private end(index: number): number {
    return this.ends[index] ?? 0
  }
}

const MOST_TEXTS = 2 ** 24
const MOST_BYTES = 2 ** 29
/** The maximum length if every character is escaped, as `_x0041_`. */
const MOST_STORED = MAX_CELL_CHARACTERS * 7
/**
 * Each use of a text counts only its bytes beyond this number, because repeated texts are short. All uses
 * together may count as many bytes as a full table.
 */
const FREE_BYTES = 100
const MOST_XML_BYTES = 2 ** 31
