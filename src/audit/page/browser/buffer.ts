/** Bytes with the part of Node's `Buffer` API that the check of a bundle needs. */
class Bytes extends Uint8Array {
  override toString(encoding = 'utf8', from = 0, to = this.length): string {
    const part = this.subarray(from, to)
    if (encoding === 'hex') return Array.from(part, (byte) => HEX[byte]).join('')
    if (encoding === 'utf8') return TEXT.decode(part)
    const letters = Array.from(part, (byte) => String.fromCharCode(byte)).join('')
    return encoding === 'base64' ? btoa(letters) : letters
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, at) => byte === other[at])
  }

  copy(into: Uint8Array, at = 0): number {
    into.set(this, at)
    return this.length
  }

  readBigUInt64BE(at = 0): bigint {
    return new DataView(this.buffer, this.byteOffset, this.byteLength).getBigUint64(at)
  }
}

/** Replaces Node's `Buffer` in the page. */
export const PageBuffer = {
  alloc: (length: number, fill = 0): Bytes => new Bytes(length).fill(fill),

  concat(parts: readonly Uint8Array[]): Bytes {
    const whole = new Bytes(parts.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  },

  /** Copies its input, except for an `ArrayBuffer`, which it shares. */
  from(
    value: string | ArrayLike<number> | ArrayBuffer,
    how?: string | number,
    length?: number,
  ): Bytes {
    if (value instanceof ArrayBuffer) return new Bytes(value, Number(how ?? 0), length)
    if (typeof value !== 'string') return new Bytes(value)
    if (how === 'hex') return bytesOfHex(value)
    return how === 'base64' ? bytesOfBase64(value) : new Bytes(UTF8.encode(value))
  },
}

/** Stops at the first two characters that are not both hex digits. */
function bytesOfHex(text: string): Bytes {
  const [digits = ''] = /^(?:[0-9a-f]{2})*/i.exec(text) ?? []
  return Bytes.from({ length: digits.length / 2 }, (_none, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  ) as Bytes
}

/** Empty if the text is not base64. */
function bytesOfBase64(text: string): Bytes {
  try {
    return Bytes.from(atob(text), (letter) => letter.charCodeAt(0)) as Bytes
  } catch {
    return new Bytes()
  }
}

const UTF8 = new TextEncoder()
const TEXT = new TextDecoder('utf-8', { ignoreBOM: true })
const HEX = Array.from({ length: 256 }, (_none, byte) => byte.toString(16).padStart(2, '0'))
