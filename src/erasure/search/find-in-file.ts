import { type FileHandle, open } from 'node:fs/promises'
import type { AsyncBuffer } from 'hyparquet'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { HEAD_BYTES, isPacked, isParquet, isZip, TextTest, wideEncoding } from './file-kinds.ts'
import { parquetNames } from './find-in-parquet.ts'
import { OwnPageParts } from './own-page-parts.ts'
import { TextSearch } from './text-search.ts'
import { formOf, type TextForm } from './unescape-text.ts'

/**
 * Whether a published file holds one of the texts, as a person reads it: without regard to case, composed,
 * with references, escapes and doubled quotes undone, and also inside of a longer word. Of a workbook or any
 * other zip every part counts, and the names of the parts; of zips in it too. Of a Parquet file all values
 * count, with its metadata; of a page all but its own script and style. Read as a stream.
 *
 * What cannot be searched counts as holding them: a workbook that is cut off, locked or of the old format, a
 * zip of a size that none of ours has, a file that is packed in another way or that is no text. Better one
 * file too many goes than one that still names a person. Parts of a zip that are no text, such as pictures,
 * are searched as they are, unless they are packed. Only a file that the system does not let us read is an
 * error, the system's own.
 */
export async function fileNames(path: string, needles: readonly string[]): Promise<boolean> {
  if (needles.length === 0) return false
  const file = await open(path)
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
    if (bytesRead === 0) return false
    if (isZip(head)) return await zipNames(() => openPromise(path, ZIP_OPTIONS), needles)
    if (isParquet(head)) return await parquetNames(await bufferOf(file), needles)
    // It says that it is one.
    if (isPacked(head) || PACKED_NAME.test(path)) return true
    const bytes = file.createReadStream({ start: 0, autoClose: false })
    return await bytesName(bytes, { form: formOf(path), alone: true }, needles)
  } finally {
    await file.close()
  }
}

async function bufferOf(file: FileHandle): Promise<AsyncBuffer> {
  const { size } = await file.stat()
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(Math.max(0, end - start))
      let filled = 0
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
        if (bytesRead === 0) throw new Error('The file is shorter than it was')
        filled += bytesRead
      }
      return bytes.buffer
    },
  }
}

async function zipNames(
  openZip: () => Promise<ZipFile>,
  needles: readonly string[],
  depth = 0,
): Promise<boolean> {
  let zip: ZipFile | undefined
  try {
    zip = await openZip()
    if (await isStrange(zip)) return true
    zip.close()
    zip = await openZip()
    return await partsName(zip, needles, depth)
  } catch (error) {
    // Not the zip's fault: the disk's, or the process may open no more files.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error
    return true
  } finally {
    zip?.close()
  }
}

/** By its directory alone: sizes that none of ours has, or parts that lie over one another. */
async function isStrange(zip: ZipFile): Promise<boolean> {
  let [parts, bytes, packed] = [0, 0, 0]
  for await (const entry of zip.eachEntry()) {
    parts++
    bytes += entry.uncompressedSize
    packed += entry.compressedSize
    const sized = parts <= MOST_PARTS && bytes <= MOST_BYTES && packed <= zip.fileSize
    if (!sized || entry.isEncrypted()) return true
  }
  return false
}

async function partsName(zip: ZipFile, needles: readonly string[], depth: number) {
  if (textNames(zip.comment, needles)) return true
  for await (const entry of zip.eachEntry()) {
    if (textNames(`${entry.fileName}\n${entry.fileComment}`, needles)) return true
    if (entry.uncompressedSize > 0 && (await partNames(zip, entry, { needles, depth }))) return true
  }
  return false
}

async function partNames(
  zip: ZipFile,
  entry: Entry,
  { needles, depth }: { needles: readonly string[]; depth: number },
): Promise<boolean> {
  const head = await headOf(zip, entry)
  if (isPacked(head)) return true
  if (isZip(head) || isParquet(head)) {
    if (depth >= MOST_DEPTH || entry.uncompressedSize > MOST_INNER_BYTES) return true
    const pieces: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
    const inner = Buffer.concat(pieces)
    if (isParquet(head)) return await parquetNames(Uint8Array.from(inner).buffer, needles)
    return await zipNames(() => fromBufferPromise(inner, ZIP_OPTIONS), needles, depth + 1)
  }
  const form = formOf(entry.fileName)
  return await bytesName(await zip.openReadStreamPromise(entry), { form, alone: false }, needles)
}

async function headOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  let head = Buffer.alloc(0)
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    head = Buffer.concat([head, piece as Buffer])
    if (head.length >= HEAD_BYTES) break
  }
  return head
}

async function bytesName(
  bytes: AsyncIterable<unknown>,
  { form, alone }: { form: TextForm; alone: boolean },
  needles: readonly string[],
): Promise<boolean> {
  let readers: Reader[] | undefined
  const test = alone ? new TextTest() : undefined
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    test?.add(piece)
    if (test?.failed === true) return true
    readers ??= encodingsOf(piece, { form, alone }).map((encoding) => ({
      decoder: new TextDecoder(encoding),
      search: new TextSearch(needles, form),
      own: form === 'html' ? new OwnPageParts(encoding) : undefined,
    }))
    for (const { decoder, search, own } of readers) {
      const text = decoder.decode(piece, { stream: true })
      if (search.add(own === undefined ? text : own.add(text))) return true
    }
  }
  if (test?.end() === false) return true
  return (readers ?? []).some(({ decoder, search, own }) => {
    const rest = decoder.decode()
    const text = own === undefined ? rest : own.add(rest) + own.end()
    return search.add(text) || search.end()
  })
}

interface Reader {
  decoder: InstanceType<typeof TextDecoder>
  search: TextSearch
  own: OwnPageParts | undefined
}

/** A file that stands alone may have been saved again by a program that knows of no UTF-8. */
function encodingsOf(head: Buffer, { form, alone }: { form: TextForm; alone: boolean }): string[] {
  const wide = wideEncoding(head)
  if (wide !== undefined) return [wide]
  if (alone) return ['utf-8', 'windows-1252']
  return form === 'plain' ? ['utf-8', 'windows-1252', 'utf-16le'] : ['utf-8']
}

function textNames(text: string, needles: readonly string[]): boolean {
  const search = new TextSearch(needles, 'plain')
  return search.add(text) || search.end()
}

const PACKED_NAME = /\.(?:xlsx|zip|parquet)(?:\.part)?$/i
const ZIP_OPTIONS = { lazyEntries: true, autoClose: false }
const MOST_PARTS = 1_000_000
/** Parts of 64 GB take minutes; no report and no bundle unpacks to more. */
const MOST_BYTES = 2 ** 36
/** A workbook in a bundle is held in memory, since its directory is at its end. */
const MOST_INNER_BYTES = 2 ** 26
const MOST_DEPTH = 2
