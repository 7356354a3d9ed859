import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { SigningKey } from './signing-key.ts'

export type Pieces = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>

export interface MemberOptions {
  /** False for what is compressed already, or not worth it. */
  compress?: boolean
}

/** Writes a bundle member by member, straight to its file. */
export interface BundleWriter {
  /** Resolves with the member's size when all of it has been taken. */
  add(name: string, pieces: Pieces, options?: MemberOptions): Promise<number>
  /** Adds the sums of all members, signed, and ends the file. */
  end(key: SigningKey): Promise<void>
  /** Lets go of the file; what is there of it is for the caller to remove. */
  abandon(): Promise<void>
}

/** Makes the file, which must not be there; `atMs` is the time that the members state. */
export function writeBundle(path: string, atMs: number): BundleWriter {
  const zip = new ZipFile()
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const done = finished(file)
  let broken: Error | undefined
  // Whoever adds next hears of it; without a listener it would end the process.
  done.catch((error: Error) => (broken ??= error))
  zip.on('error', (error: unknown) => file.destroy(error as Error))
  zip.outputStream.pipe(file)
  const mtime = new Date(atMs)
  const sums: string[] = []
  const put = async (name: string, pieces: Pieces, { compress = true }: MemberOptions) => {
    const hash = createHash('sha256')
    let size = 0
    const source = Readable.from(
      (async function* () {
        for await (const piece of pieces) {
          const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
          hash.update(bytes)
          size += bytes.length
          yield bytes
        }
      })(),
      { objectMode: false },
    )
    const options = { mtime, mode: 0o100600, compress, forceDosTimestamp: true }
    zip.addReadStreamLazy(name, options, (take) => take(undefined, source))
    await Promise.race([finished(source, { writable: false }), done])
    if (broken !== undefined) throw broken
    return { digest: hash.digest('hex'), size }
  }
  return {
    async add(name, pieces, options = {}) {
      const { digest, size } = await put(name, pieces, options)
      sums.push(`${digest}  ${name}\n`)
      return size
    },
    async end(key) {
      const text = sums.join('')
      await put('SHA256SUMS', [text], {})
      await put('SHA256SUMS.sig', [key.sign(text)], { compress: false })
      zip.end()
      await done
    },
    async abandon() {
      file.destroy()
      await done.catch(() => undefined)
    },
  }
}
