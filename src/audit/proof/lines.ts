/** Splits text pieces into lines, without line ends. Throws if a line is longer than `MOST_BYTES`. */
export async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, undefined> {
  let rest: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    let from = 0
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, bytes.subarray(from, at)])
      rest = []
      length = 0
      from = at + 1
    }
    length += bytes.length - from
    if (length > MOST_BYTES) throw new Error('a line is longer than any line of a bundle')
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)))
  }
  if (length > 0) yield Buffer.concat(rest)
  return undefined
}

const NEWLINE = 10
const MOST_BYTES = 2 ** 27
