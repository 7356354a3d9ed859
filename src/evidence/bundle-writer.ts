import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { memberKind } from './bundle-format.ts'
import type { SigningKey } from './signing-key.ts'

export type Pieces = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>

export interface MemberOptions {
  /** False for content that is already compressed or too small to gain from it. */
  compress?: boolean
}

/** Writes a bundle member by member, straight to its file. */
export interface BundleWriter {
  /** Resolves with the member's SHA-256 in hex when all of it has been read. */
  add(name: string, pieces: Pieces, options?: MemberOptions): Promise<string>
  /** The bytes of the members so far whose size follows from no entry. */
  sizes(): Record<string, number>
  /** Adds the signed sums of all members and ends the file. */
  end(key: SigningKey): Promise<void>
  /** Closes the file; the caller removes what was written. */
  abandon(): Promise<void>
}

/** Creates the file, which must not exist; `atMs` is the time stated for the members. */
export function writeBundle(path: string, atMs: number): BundleWriter {
  const zip = new ZipFile()
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const done = finished(file)
  let broken: Error | undefined
  let coming: Readable | undefined
  // The caller of this or the next `add` gets the error; without a listener it would end the process. Racing
  // each member with this promise would keep every member in memory.
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

/** Heads, checkpoints, keys and anchors count too: they are small and have a size limit of their own. */
function isSizedByEntry(name: string, digest: string): boolean {
  const kind = memberKind(name)
  return kind === 'file' ? name === `files/${digest}` : kind !== 'fixed' && kind !== 'records'
}

/** The pieces as a stream, and their sums once all have been read. */
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

/** What yazl keeps of each member until the end. This is not its public API, so its version is pinned. */
interface Kept {
  entries: { state: number; doFileDataPump?: unknown }[]
}

/**
 * For each member, yazl scans all members twice from the first, and it keeps their streams: quadratic work.
 * So finished members are hidden from it, without their streams, until the end, which lists them all.
 */
function setAside(zip: ZipFile): { takeDone(): void; putBack(): void } {
  const kept = zip as unknown as Kept
  const done: Kept['entries'] = []
  return {
    takeDone() {
      for (let first = kept.entries[0]; first?.state === DONE; first = kept.entries[0]) {
        // Not `delete`: an object that loses a property takes more memory than the streams.
        first.doFileDataPump = undefined
        done.push(first)
        kept.entries.shift()
      }
    },
    putBack: () => void (kept.entries = [...done, ...kept.entries]),
  }
}

const DONE = 3
