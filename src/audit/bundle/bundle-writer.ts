import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { type PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { sha256Hex } from '../../evidence/log/digest.ts'
import type { SigningKey } from '../../evidence/log/signing-key.ts'
import { memberKind } from '../proof/bundle-format.ts'

export type Pieces = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>

type PieceGenerator = AsyncGenerator<Uint8Array | string, undefined>

export interface MemberOptions {
  /** False for content that is already compressed or too small to gain from it. */
  compress?: boolean
}

/** Writes a bundle to its file, member by member. */
export interface BundleWriter {
  /** Resolves with the member's SHA-256 in hex when all of it has been read. */
  add(name: string, pieces: Pieces, options?: MemberOptions): Promise<string>
  /** The size in bytes of each added member whose size neither an entry nor its kind bounds. */
  sizes(): Record<string, number>
  /** Adds the signed digests of the members (`SHA256SUMS`) and ends the file. */
  end(key: SigningKey): Promise<void>
  /** Closes the file; the caller deletes it. */
  abandon(): Promise<void>
}

/** Creates the file, which must not exist; `atMs` becomes the modification time of the members. */
export function writeBundle(path: string, atMs: number): BundleWriter {
  const zip = writeZip(path, atMs)
  const sums: string[] = []
  const sizes: Record<string, number> = {}
  return {
    async add(name, pieces, options = {}) {
      const { digest, bytes } = await zip.put(name, pieces, options)
      sums.push(`${digest}  ${name}\n`)
      if (!isSizedByEntry(name, digest)) sizes[name] = bytes
      return digest
    },
    sizes: () => ({ ...sizes }),
    async end(key) {
      const text = sums.join('')
      await zip.put('SHA256SUMS', [text], {})
      await zip.put('SHA256SUMS.sig', [key.sign(text)], { compress: false })
      await zip.end()
    },
    abandon: () => zip.abandon(),
  }
}

interface PutMember {
  digest: string
  bytes: number
}

interface ZipWriter extends Pick<BundleWriter, 'abandon'> {
  put(name: string, pieces: Pieces, options: MemberOptions): Promise<PutMember>
  end(): Promise<void>
}

function writeZip(path: string, atMs: number): ZipWriter {
  const zip = new ZipFile()
  const out = zip.outputStream as PassThrough
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const done = finished(file)
  let broken: Error | undefined
  let coming: { destroy(error: Error): unknown } | undefined
  // The current or next `put` throws the error; without this handler the error would end the process.
  // `Promise.race` with this promise is no alternative: it would keep every member in memory.
  done.catch((error: Error) => {
    broken ??= error
    coming?.destroy(error)
    out.destroy(error)
  })
  const throwIfBroken = (): void => {
    if (broken !== undefined) throw broken
  }
  zip.on('error', (error: unknown) => file.destroy(error as Error))
  out.on('error', () => undefined)
  out.pipe(file)
  const mtime = new Date(atMs)
  const written = setAside(zip)
  return {
    async put(name, pieces, { compress = true }) {
      throwIfBroken()
      written.takeDone()
      const options = { mtime, mode: 0o100600, compress, forceDosTimestamp: true }
      const rest = piecesOf(pieces)
      coming = { destroy: () => rest.return(undefined) }
      const { only, all } = compress ? { all: rest } : await firstOf(rest)
      throwIfBroken()
      if (only !== undefined) {
        zip.addBuffer(only, name, options)
        if (out.writableNeedDrain) await once(out, 'drain')
        throwIfBroken()
        return { digest: sha256Hex(only), bytes: only.length }
      }
      const { source, result } = summing(all)
      zip.addReadStreamLazy(name, options, (take) => take(undefined, source))
      coming = source
      await finished(source, { writable: false })
      throwIfBroken()
      return result()
    },
    async end() {
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

/** True if an entry, or the limit of the member's kind (`SMALL_BYTES`), bounds its size. */
function isSizedByEntry(name: string, digest: string): boolean {
  const kind = memberKind(name)
  return kind === 'file' ? name === `files/${digest}` : kind !== 'fixed' && kind !== 'records'
}

/**
 * Returns the content as `only` if it is a single piece: yazl sends streams through five streams of its own,
 * which cost most of the time and memory for many small files.
 */
async function firstOf(rest: PieceGenerator): Promise<{ only?: Buffer; all: Pieces }> {
  const [first, second] = [await rest.next(), await rest.next()]
  if (first.done === true) return { only: Buffer.alloc(0), all: [] }
  if (second.done === true) return { only: bytesOf(first.value), all: [] }
  const [one, two] = [first.value, second.value]
  async function* all(): AsyncGenerator<Uint8Array | string> {
    try {
      yield one
      yield two
      yield* rest
    } finally {
      await rest.return(undefined)
    }
  }
  return { all: all() }
}

async function* piecesOf(pieces: Pieces): PieceGenerator {
  yield* pieces
  return undefined
}

function bytesOf(piece: Uint8Array | string): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece)
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}

/** The pieces as a stream; `result` returns their digest and size once all have been read. */
function summing(pieces: Pieces): {
  source: Readable
  result(): PutMember
} {
  const hash = createHash('sha256')
  let taken = 0
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      const part = bytesOf(piece)
      hash.update(part)
      taken += part.length
      yield part
    }
  }
  const source = Readable.from(bytes(), { objectMode: false })
  return { source, result: () => ({ digest: hash.digest('hex'), bytes: taken }) }
}

/**
 * The data that yazl stores about each member until the end. It is not public API, so the version of yazl is
 * pinned.
 */
interface Kept {
  entries: { state: number; doFileDataPump?: unknown }[]
}

/**
 * For each member, yazl scans all members twice, which is quadratic work, and stores their streams. So
 * finished members are hidden from yazl, their streams are dropped, and the members are put back at the end,
 * when yazl lists all of them.
 */
function setAside(zip: ZipFile): { takeDone(): void; putBack(): void } {
  const kept = zip as unknown as Kept
  const done: Kept['entries'] = []
  return {
    takeDone() {
      for (let first = kept.entries[0]; first?.state === DONE; first = kept.entries[0]) {
        // No `delete`: an object that loses a property takes more memory than the streams.
        first.doFileDataPump = undefined
        done.push(first)
        kept.entries.shift()
      }
    },
    putBack: () => void (kept.entries = [...done, ...kept.entries]),
  }
}

const DONE = 3
