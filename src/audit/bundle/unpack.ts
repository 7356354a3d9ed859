import { pipeline, Readable } from 'node:stream'
import { createInflateRaw, type Inflate, inflateRawSync } from 'node:zlib'
import type { Unpack } from '../proof/zip.ts'

/** Uses Node's zlib. */
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
  // The loop below gets the error as well.
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

const SHORT_BYTES = 2 ** 16
const PIECE_BYTES = 2 ** 16
