/** The numbers in a record of a zip file, by position. */
export class ZipFields {
  readonly bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  short(at: number): number {
    return this.#view.getUint16(at, true)
  }

  long(at: number): number {
    return this.#view.getUint32(at, true)
  }

  /** A number too large for any file becomes infinite. */
  wide(at: number): number {
    const value = this.#view.getBigUint64(at, true)
    return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value)
  }
}

/**
 * Returns, in order, the numbers that are in a record's extra fields because they do not fit into its own
 * fields. Accepts only known kinds of extra fields: for some programs, other kinds change a member's name or
 * bytes.
 */
export function wideFields(extra: Uint8Array, wanted: number): number[] {
  const fields = new ZipFields(extra)
  let found: number[] | undefined
  let at = 0
  while (at + 4 <= extra.length) {
    const [kind, length] = [fields.short(at), fields.short(at + 2)]
    at += 4
    if (at + length > extra.length) break
    if (kind === WIDE) {
      if (found !== undefined || length !== 8 * wanted) throw new Error(ODD_SIZES)
      const first = at
      found = Array.from({ length: wanted }, (_none, nth) => fields.wide(first + 8 * nth))
    } else if (!HARMLESS.has(kind)) throw new Error('a member has extra fields that no bundle uses')
    at += length
  }
  if (at !== extra.length || (found?.length ?? 0) !== wanted) throw new Error(ODD_SIZES)
  return found ?? []
}

/** This value of a field means that its number is in the extra fields. */
export const ELSEWHERE = 0xffff_ffff
const ODD_SIZES = 'a member states its sizes in two different ways'
const WIDE = 1
/** Times and owners, as recorded by packers on Unix, Windows and macOS. */
const HARMLESS: ReadonlySet<number> = new Set([0x000a, 0x5455, 0x5855, 0x7855, 0x7875])
