import { close, fstatSync, openSync, read } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createInflateRaw, type Inflate, inflateRawSync } from 'node:zlib'
import { ConfigurationError } from '../../core/errors.ts'
import { refuseOthers, UnfitFile } from '../../core/read-small-file.ts'
import { CHECK_THE_PATH, whyNotOpened } from '../../core/unopened-file.ts'
import { type BundleReader, openBundle } from '../proof/bundle-reader.ts'
import type { BundleSource } from '../proof/source.ts'
import type { Unpack } from '../proof/zip.ts'

/** Opens a bundle on disk. Throws a configuration error (exit code 2) unless it is a readable bundle. */
export async function readBundle(path: string): Promise<BundleReader & { close(): Promise<void> }> {
  let file: BundleFile | undefined
  try {
    refuseOthers(await stat(path))
    const opened = openBundleFile(path)
    file = opened
    const bundle = await openBundle(opened, unpack)
    return { ...bundle, close: () => bundle.settle().then(() => opened.close()) }
  } catch (error) {
    await file?.close()
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): ConfigurationError {
  const unopened = error instanceof UnfitFile ? error.message : whyNotOpened(error)
  return new ConfigurationError('bundle_unreadable', {
    tried: `Reading the bundle ${path}`,
    expected: 'a ZIP file that callsheet audit export wrote',
    came: unopened ?? (error as Error).message,
    todo: unopened === undefined ? 'ask the sender to send the file again' : CHECK_THE_PATH,
    cause: error,
  })
}

/** A file that is open for reading. */
interface BundleFile extends BundleSource {
  close(): Promise<void>
}

export function openBundleFile(path: string): BundleFile {
  const fd = openSync(path, 'r')
  const { size } = fstatSync(fd)
  return {
    size,
    async read(from, to, spare = new ArrayBuffer(to - from)) {
      const into = new Uint8Array(spare, 0, Math.min(to - from, spare.byteLength))
      const { bytesRead } = await readAsync(fd, into, 0, into.length, from)
      return into.subarray(0, bytesRead)
    },
    close: () => closeAsync(fd),
  }
}

export const unpack: Unpack = (pieces, { packed, bytes }) =>
  // For a small member, a stream would cost more than all other work on it.
  Math.max(packed, bytes) <= SHORT_BYTES
    ? unpackedAtOnce(pieces, { packed, bytes })
    : unpacked(pieces, packed)

async function* unpackedAtOnce(
  pieces: AsyncIterable<Uint8Array>,
  { packed, bytes }: { packed: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  const whole: Uint8Array[] = []
  for await (const piece of pieces) whole.push(Buffer.from(piece))
  // The types lack the result of `info`.
  const { buffer, engine } = inflateRawSync(Buffer.concat(whole), {
    maxOutputLength: bytes + 1,
    info: true,
  }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
  expectAll(engine, packed)
  yield buffer
}

async function* unpacked(
  pieces: AsyncIterable<Uint8Array>,
  packed: number,
): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES })
  // The loop below receives the error as well.
  pipeline(Readable.from(copies(pieces), { objectMode: false }), inflate, () => undefined)
  yield* inflate as AsyncIterable<Uint8Array>
  expectAll(inflate, packed)
}

function expectAll({ bytesWritten }: Pick<Inflate, 'bytesWritten'>, packed: number): void {
  if (bytesWritten !== packed) throw new Error('unexpected bytes follow its end')
}

/** Copies each piece, because a stream requests the next one while it still uses the current one. */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

const readAsync = promisify(read)
const closeAsync = promisify(close)
const SHORT_BYTES = 2 ** 16
const PIECE_BYTES = 2 ** 16
