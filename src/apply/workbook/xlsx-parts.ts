import { open as openFile, stat } from 'node:fs/promises'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { ConfigurationError } from '../../core/errors.ts'
import { refuseOthers, UnfitFile } from '../../core/read-small-file.ts'
import { CHECK_THE_PATH, whyNotOpened } from '../../core/unopened-file.ts'
import { readXml, type XmlHandler } from './read-xml.ts'

/** A workbook's parts, read in place: nothing is unpacked to a file or as a whole. */
export interface XlsxParts {
  path: string
  has(name: string): boolean
  /** Passes the part's elements to the handler piece by piece, and yields its results. */
  gather<Taken>(name: string, handler: XmlHandler<Taken>, mostBytes?: number): AsyncGenerator<Taken>
  /** Like `gather`, for a handler that stores its own results. */
  read(name: string, handler: XmlHandler, mostBytes?: number): Promise<void>
  /** Returns the relationships of a part; none if `source` has no relationships part. */
  related(source: string): Promise<readonly Relationship[]>
  close(): void
}

export interface Relationship {
  id: string
  /** The last segment of the type, identical in both dialects: `worksheet`, `sharedStrings`. */
  kind: string
  target: string
}

/**
 * Opens the zip. Throws a ConfigurationError if the file is not a workbook, is password-protected, or
 * declares implausible sizes. No part may unpack to more than its declared size.
 */
export async function openParts(path: string): Promise<XlsxParts> {
  await refuseOtherFiles(path)
  let zip: ZipFile
  try {
    zip = await openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      strictFileNames: true,
      validateEntrySizes: true,
    })
  } catch (error) {
    throw unreadable(path, (error as Error).message, error)
  }
  try {
    return partsOf(zip, await entriesOf(zip), path)
  } catch (error) {
    zip.close()
    throw asUnreadable(path, error)
  }
}

/** Returns the error for an unreadable workbook; `came` contains no cell content. */
export function unreadable(path: string, came: string, cause?: unknown): ConfigurationError {
  const unopened = cause instanceof UnfitFile ? cause.message : whyNotOpened(cause)
  return new ConfigurationError('workbook_unreadable', {
    tried: `Reading the workbook ${path}`,
    expected: 'an .xlsx file without a password, saved by Excel or LibreOffice',
    came: unopened ?? came,
    todo:
      unopened === undefined
        ? 'open the file in Excel or LibreOffice, save it as .xlsx and apply that file'
        : CHECK_THE_PATH,
    cause,
  })
}

export function asUnreadable(path: string, error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error
  return unreadable(path, (error as Error).message, error)
}

/** Rejects irregular files, other formats and encrypted files. A zip reader would only call them damaged. */
async function refuseOtherFiles(path: string): Promise<void> {
  const head = Buffer.alloc(COMPOUND_FILE.length)
  try {
    refuseOthers(await stat(path))
    const file = await openFile(path)
    try {
      await file.read(head, 0, head.length, 0)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw unreadable(path, (error as Error).message, error)
  }
  if (head.equals(COMPOUND_FILE))
    throw unreadable(path, 'the file is protected by a password, or has the old .xls format')
  if (head.toString('latin1', 0, 2) !== 'PK') throw unreadable(path, 'the file has another format')
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  const most = Math.max(SMALL_BYTES, zip.fileSize * MOST_RATIO)
  let packed = 0
  let unpacked = 0
  for await (const entry of zip.eachEntry()) {
    if (entries.size >= MOST_PARTS) throw new Error(`more than ${MOST_PARTS} parts`)
    if (entries.has(entry.fileName)) throw new Error('a zip file with the same name twice')
    if (entry.isEncrypted()) throw new Error('a zip file with encrypted parts')
    packed += entry.compressedSize
    if (packed > zip.fileSize) throw new Error('parts that lie over one another')
    unpacked += entry.uncompressedSize
    if (unpacked > most) throw new Error(`parts that unpack to more than ${most} bytes`)
    entries.set(entry.fileName, entry)
  }
  return entries
}

function partsOf(zip: ZipFile, entries: ReadonlyMap<string, Entry>, path: string): XlsxParts {
  let left = MOST_BYTES
  const reads = new Set<string>()
  const gather: XlsxParts['gather'] = async function* (name, handler, mostBytes = SMALL_BYTES) {
    const entry = entries.get(name)
    if (entry === undefined) throw unreadable(path, `the zip file lacks the part ${name}`)
    if (reads.has(name)) throw unreadable(path, `several sheets share the part ${name}`)
    reads.add(name)
    const { uncompressedSize: size, compressedSize } = entry
    const most = Math.min(mostBytes, Math.max(SURE_BYTES, compressedSize * MOST_RATIO))
    left -= size
    if (size > most)
      throw unreadable(
        path,
        `the part ${name} unpacks to ${size} bytes, more than the limit of ${most}`,
      )
    if (left < 0) throw unreadable(path, `its parts unpack to more than ${MOST_BYTES} bytes`)
    try {
      yield* readXml(await zip.openReadStreamPromise(entry), handler)
    } catch (error) {
      if (error instanceof ConfigurationError) throw error
      throw unreadable(path, `the part ${name} cannot be read: ${(error as Error).message}`, error)
    }
  }
  const read: XlsxParts['read'] = async (name, handler, mostBytes) => {
    // One call runs the generator to its end, because it yields nothing before.
    await gather(name, handler, mostBytes).next()
  }
  return {
    path,
    has: (name) => entries.has(name),
    gather,
    read,
    async related(source) {
      const name = relationshipsOf(source)
      const found: Relationship[] = []
      if (!entries.has(name)) return found
      const handler: XmlHandler = {
        open(element, { Id = '', Type = '', Target = '', TargetMode }) {
          if (element !== 'Relationship' || TargetMode === 'External') return
          if (found.length >= MOST_PARTS) throw new Error(`more than ${MOST_PARTS} relationships`)
          const kind = Type.slice(Type.lastIndexOf('/') + 1)
          found.push({ id: Id, kind, target: resolved(source, Target) })
        },
      }
      await read(name, handler)
      return found
    },
    close: () => zip.close(),
  }
}

function relationshipsOf(source: string): string {
  const at = source.lastIndexOf('/') + 1
  return `${source.slice(0, at)}_rels/${source.slice(at)}.rels`
}

/** Resolves a target relative to the part that names it, or to the root if it begins with a slash. */
function resolved(source: string, target: string): string {
  return decodeURI(new URL(target, `zip:///${source}`).pathname).slice(1)
}

const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const MOST_PARTS = 10_000
/** The limit for parts without cells, which are far smaller. */
const SMALL_BYTES = 2 ** 25
/** The maximum compression ratio: a sheet has about 10; a part with 1,000 could block a reader for long. */
const MOST_RATIO = 100
const SURE_BYTES = 2 ** 22
/** The maximum unpacked size of the parts that are read: two full sheets of forty columns. */
const MOST_BYTES = 2 ** 33
