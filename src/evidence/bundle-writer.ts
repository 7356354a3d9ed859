import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { memberKind } from './bundle-format.ts'
import type { SigningKey } from './signing-key.ts'

export type Pieces = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>

export interface MemberOptions {
  /** False for what is compressed already, or not worth it. */
  compress?: boolean
}

/** Writes a bundle member by member, straight to its file. */
export interface BundleWriter {
  /** Resolves with the member's SHA-256 in hex when all of it has been taken. */
  add(name: string, pieces: Pieces, options?: MemberOptions): Promise<string>
  /** The bytes of those members so far whose size follows from no entry. */
  sizes(): Record<string, number>
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
  let coming: Readable | undefined
  // Whoever adds, or adds next, hears of it; without a listener it would end the process. A race with this
  // promise for each member would keep all that each member has.
  done.catch((error: Error) => {
    broken ??= error
    coming?.destroy(error)
  })
  const throwIfBroken = (): void => {
    if (broken !== undefined) throw broken
  }
  zip.on('error', (error: unknown) => file.destroy(error as Error))
  zip.outputStream.pipe(file)
  const mtime = new Date(atMs)
  const sums: string[] = []
  const sizes: Record<string, number> = {}
  const written = setAside(zip)
  const put = async (name: string, pieces: Pieces, { compress = true }: MemberOptions) => {
    throwIfBroken()
    const { source, result } = summing(pieces)
    written.takeDone()
    const options = { mtime, mode: 0o100600, compress, forceDosTimestamp: true }
    zip.addReadStreamLazy(name, options, (take) => take(undefined, source))
    coming = source
    await finished(source, { writable: false })
    throwIfBroken()
    return result()
  }
  return {
    async add(name, pieces, options = {}) {
      const { digest, bytes } = await put(name, pieces, options)
      sums.push(`${digest}  ${name}\n`)
      if (!isSizedByEntry(name, digest)) sizes[name] = bytes
      return digest
    },
    sizes: () => ({ ...sizes }),
    async end(key) {
      const text = sums.join('')
      await put('SHA256SUMS', [text], {})
      await put('SHA256SUMS.sig', [key.sign(text)], { compress: false })
      written.putBack()
      zip.end()
      await done
    },
    async abandon() {
      file.destroy()
      await done.catch(() => undefined)
    },
  }
}

/** Heads, keys and anchors are small, and so held to a bound of their own. */
function isSizedByEntry(name: string, digest: string): boolean {
  const kind = memberKind(name)
  return kind === 'file' ? name === `files/${digest}` : kind !== 'fixed' && kind !== 'records'
}

/** The pieces as a stream; when all were taken, what they came to. */
function summing(pieces: Pieces): {
  source: Readable
  result(): { digest: string; bytes: number }
} {
  const hash = createHash('sha256')
  let taken = 0
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const part = typeof piece === 'string' ? Buffer.from(piece) : piece
      hash.update(part)
      taken += part.length
      yield part
    }
  }
  const source = Readable.from(bytes(), { objectMode: false })
  return { source, result: () => ({ digest: hash.digest('hex'), bytes: taken }) }
}

/** What yazl keeps of each member until the end. It promises none of it, so its version is a fixed one. */
interface Kept {
  entries: { state: number; doFileDataPump?: unknown }[]
}

/**
 * For each member yazl looks through all from the first one on, twice, and it keeps the streams of each: work
 * that grows with the square. So what is written is taken out of its sight, without its streams, until the
 * end, which lists all.
 */
function setAside(zip: ZipFile): { takeDone(): void; putBack(): void } {
  const kept = zip as unknown as Kept
  const done: Kept['entries'] = []
  return {
    takeDone() {
      for (let first = kept.entries[0]; first?.state === DONE; first = kept.entries[0]) {
        // Not deleted: an object that loses a property takes more room than the streams.
        first.doFileDataPump = undefined
        done.push(first)
        kept.entries.shift()
      }
    },
    putBack: () => void (kept.entries = [...done, ...kept.entries]),
  }
}

const DONE = 3
