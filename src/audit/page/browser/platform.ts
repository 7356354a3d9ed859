import { createHash } from 'node:crypto'
import type { Platform } from '../../proof/platform.ts'
import type { BundleSource } from '../../proof/source.ts'
import type { Unpack } from '../../proof/zip.ts'
import { signed } from './crypto.ts'

/** The chosen file; `onRead` receives the share read so far. */
export function sourceOf(file: Blob, onRead: (share: number) => void): BundleSource {
  let bytes = 0
  return {
    size: file.size,
    async read(from, to) {
      const part = new Uint8Array(await file.slice(from, to).arrayBuffer())
      bytes += part.length
      onRead(Math.min(1, bytes / file.size))
      return part
    },
  }
}

export const unpack: Unpack = async function* unpack(pieces) {
  const own = pieces[Symbol.asyncIterator]()
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(into) {
      const { done, value } = await own.next()
      if (done === true) into.close()
      else into.enqueue(new Uint8Array(value))
    },
  })
  const reader = packed.pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

export const platform: Platform = {
  signed,

  /** Files up to 32 MiB use the browser's own hash, which is many times faster but needs the whole file. */
  async digestOf(pieces, bytes) {
    if (bytes > MOST_AT_ONCE) {
      const hash = createHash('sha256')
      for await (const piece of pieces) hash.update(piece)
      return hash.digest('hex')
    }
    const parts: Uint8Array[] = []
    for await (const piece of pieces) parts.push(Buffer.from(piece))
    const whole = new Uint8Array(Buffer.concat(parts))
    return Buffer.from(await crypto.subtle.digest('SHA-256', whole)).toString('hex')
  },

  checkStamps(bundle) {
    const stamps = [...bundle.names()].filter((name) => name.endsWith('.tsr')).length
    const unchecked = `Whether ${stamps} time stamps are valid: follow the steps in CHECK.txt.`
    return Promise.resolve(stamps === 0 ? [] : [unchecked])
  },
}

const MOST_AT_ONCE = 2 ** 25
