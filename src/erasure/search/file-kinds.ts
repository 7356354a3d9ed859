/** By their first bytes: what holds text that nobody reads in it without unpacking it first. */
export function isPacked(head: Buffer): boolean {
  const hex = head.toString('hex')
  return PACKED.some((start) => hex.startsWith(start))
}

export function isZip(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'PK\u0003\u0004'
}

export function isParquet(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'PAR1'
}

/** As many bytes as tell what a file is. */
export const HEAD_BYTES = 8

/**
 * Tells bytes that are text from others, piece by piece: UTF-16 that says so, UTF-8 without NUL, or an
 * encoding of one byte a character without control characters. Bytes that are packed or encrypted are none.
 */
export class TextTest {
  #decoder: InstanceType<typeof TextDecoder> | undefined
  #wide = false
  #fits = true
  #controls = false
  #nul = false

  add(piece: Buffer): void {
    this.#decoder ??= this.#decoderFor(piece)
    this.#decode(piece)
    this.#nul ||= !this.#wide && piece.includes(0)
    this.#controls ||= !this.#fits && CONTROL.test(piece.toString('latin1'))
  }

  /** Whether what came so far is none. */
  get failed(): boolean {
    return this.#nul || (!this.#fits && (this.#wide || this.#controls))
  }

  /** Whether all that came is text. */
  end(): boolean {
    this.#decode(undefined)
    return !this.failed
  }

  #decoderFor(head: Buffer): InstanceType<typeof TextDecoder> {
    const encoding = wideEncoding(head)
    this.#wide = encoding !== undefined
    return new TextDecoder(encoding ?? 'utf-8', { fatal: true })
  }

  #decode(piece: Buffer | undefined): void {
    if (!this.#fits) return
    try {
      const text = this.#decoder?.decode(piece, { stream: piece !== undefined }) ?? ''
      this.#controls ||= CONTROL.test(text)
      this.#nul ||= text.includes('\0')
    } catch {
      this.#fits = false
    }
  }
}

/** Of a text that begins with its mark. */
export function wideEncoding(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : undefined
}

/** But for tab and the ends of lines and pages; from 127 on they are letters in some encodings. */
const CONTROL = /[^\P{Cc}\t\n\f\r\u007f-\u009f]/u

const PACKED = [
  '1f8b', // gzip
  '1f9d', // compress
  '425a68', // bzip2
  'fd377a585a00', // xz
  '28b52ffd', // zstd
  '04224d18', // lz4
  '377abcaf271c', // 7z
  '526172211a07', // rar
  '4c5a4950', // lzip
  '25504446', // PDF
  '7b5c727466', // RTF, which writes letters as numbers
  '50415245', // Parquet that is encrypted
  'd0cf11e0a1b11ae1', // what a password or an old program makes of a workbook
]
