import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { type AnswerHeaders, header } from './headers.ts'
import { cutShort, type Exchanged, tooLarge, wrongEncoding } from './transport-faults.ts'

/**
 * A body as it was before its encoding. Only gzip is asked for; a name that is no encoding's, as a character
 * set's, says nothing, and a body that is plainly no gzip is what it looks like.
 */
export async function decode(
  body: Buffer,
  exchanged: Exchanged,
  maxOutputLength: number,
): Promise<Buffer> {
  if (body.length === 0) return body
  const named = namedEncodings(exchanged.headers)
  const zipped = body[0] === 0x1f && body[1] === 0x8b
  const [encoding = zipped ? 'gzip' : 'none', ...more] = named
  if (more.length > 0) throw wrongEncoding(exchanged)
  const gzip = encoding === 'gzip' || encoding === 'x-gzip'
  if (encoding === 'none' || (gzip && !zipped && JSON_BEGINS.test(body.toString('latin1', 0, 64))))
    return body
  const unpack = UNPACK[encoding]
  if (unpack === undefined) throw wrongEncoding(exchanged)
  try {
    return await unpack(body, { maxOutputLength })
  } catch (error) {
    const tooMuch = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    if (tooMuch) throw tooLarge(exchanged, maxOutputLength)
    if (!gzip) throw wrongEncoding(exchanged)
    throw cutShort(exchanged, 'a gzip body that is cut short or broken')
  }
}

/** Those of the names in `content-encoding` that are an encoding's, in small letters. */
export function namedEncodings(headers: AnswerHeaders): string[] {
  return (header(headers, 'content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => ENCODINGS.has(name))
}

type Unpack = (body: Buffer, options: object) => Promise<Buffer>

const unzip = promisify(gunzip) as Unpack
const UNPACK: Readonly<Record<string, Unpack>> = {
  gzip: unzip,
  'x-gzip': unzip,
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}
/** The names that stand for an encoding; those that cannot be read are refused, and not taken for plain. */
const ENCODINGS = new Set([
  ...Object.keys(UNPACK),
  ...'compress x-compress zstd dcb dcz bzip2 x-bzip2 xz lzma lz4 snappy exi pack200-gzip'.split(
    ' ',
  ),
])
const JSON_BEGINS = /^(?:\u00ef\u00bb\u00bf)?\s*[[{n"]/
