import { close, fstatSync, openSync, read } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'

/** Opens a zip file to read it member by member; throws the errors of the system or the format. */
export async function openZip(path: string): Promise<ZipFile> {
  const fd = openSync(path, 'r')
  const reader = new AheadReader(fd)
  try {
    return await fromRandomAccessReaderPromise(reader, fstatSync(fd).size, {
      lazyEntries: true,
      autoClose: false,
      strictFileNames: true,
      validateEntrySizes: true,
    })
  } catch (error) {
    await new Promise<void>((done) => close(fd, () => done()))
    throw error
  }
}

type Asked = Parameters<RandomAccessReader['read']>

/**
 * Reads ahead. The list of members is read in pieces of some fifty bytes; with a system call for each, a long
 * list would take as long as a bundle a thousand times its size.
 */
class AheadReader extends RandomAccessReader {
  readonly #fd: number
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES)
  #from = 0
  #held = 0

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(piecesOf(this.#fd, start, end), { objectMode: false })
  }

  override read(...asked: Asked): void {
    const [into, at, length, position, done] = asked
    const from = position - this.#from
    if (length > BLOCK_BYTES) readInto(this.#fd, asked)
    else if (from >= 0 && from + length <= this.#held) {
      this.#block.copy(into, at, from, from + length)
      // Without this, a long list would nest one call in another.
      queueMicrotask(() => done(null))
    } else
      read(this.#fd, this.#block, 0, BLOCK_BYTES, position, (error, bytes) => {
        if (error !== null) return done(error)
        this.#from = position
        this.#held = bytes
        this.#block.copy(into, at, 0, Math.min(length, bytes))
        done(bytes < length ? cutShort() : null)
      })
  }

  override close(done: (error: Error | null) => void): void {
    close(this.#fd, done)
  }
}

function readInto(fd: number, [into, at, length, position, done]: Asked): void {
  read(fd, into, at, length, position, (error, bytes) =>
    done(error ?? (bytes < length ? cutShort() : null)),
  )
}

async function* piecesOf(fd: number, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at))
    const { bytesRead } = await readAsync(fd, piece, 0, piece.length, at)
    if (bytesRead === 0) throw cutShort()
    yield piece.subarray(0, bytesRead)
    at += bytesRead
  }
}

const cutShort = (): Error => new Error('the file ends in the middle')
const readAsync = promisify(read)
const PIECE_BYTES = 2 ** 16
const BLOCK_BYTES = 2 ** 18
