import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import type { RecordedFile } from '../../report/published-reports.ts'
import type { Warehouse } from '../../warehouse/connect.ts'

/** A published report file that is still in the reports folder. */
export interface PublishedFile {
  /** The publication's ID. */
  id: number
  /** The index among the publication's files, from 0. */
  place: number
  account: string
  report: string
  publishedAt: string
  /** The instant that the report describes. */
  asOf: string
  name: string
  bytes: number
}

export interface OpenedFile {
  name: string
  bytes: number
  /** Reads from the first byte, and closes the file at the end. */
  stream(): Readable
  /** Closes the file, for callers that do not read the stream. */
  close(): Promise<void>
}

interface Shelf {
  accounts: readonly string[]
  /** The reports folder. */
  directory: string
}

/**
 * Lists the files of the latest publications, newest first. Omits a file that an erasure removed or will
 * remove, that a later publication replaced, that is missing or elsewhere, or whose size changed.
 */
export async function listPublished(
  { db }: Pick<Warehouse, 'db'>,
  { accounts, directory }: Shelf,
): Promise<PublishedFile[]> {
  const rows = await publications(db, accounts)
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_PUBLICATIONS)
    .execute()
  const seen = new Set<string>()
  const found: PublishedFile[] = []
  for (const { files, report, id, account, published_at, as_of } of rows)
    for (const [place, file] of (files as RecordedFile[]).entries()) {
      if (seen.has(file.path)) continue
      seen.add(file.path)
      if (isErased(file) || !(await isThere(directory, file))) continue
      const { path, bytes } = file
      const of = { id, place, account, report, publishedAt: published_at, asOf: as_of }
      found.push({ ...of, name: basename(path), bytes })
    }
  return found
}

/** Opens a file by its publication's record. Returns undefined if there is none, or if its bytes differ. */
export async function openPublished(
  { db }: Pick<Warehouse, 'db'>,
  { accounts, directory, id, place }: Shelf & { id: number; place: number },
): Promise<OpenedFile | undefined> {
  const row = await publications(db, accounts).where('id', '=', id).executeTakeFirst()
  const file = (row?.files as RecordedFile[] | undefined)?.[place]
  if (file === undefined || isErased(file) || !(await isThere(directory, file))) return undefined
  // Opens no symbolic link, and does not block on a named pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file.path, flags).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    if ((await digestOf(handle)) === file.sha256) return openedFile(handle, file)
  } catch {
    // An unreadable file counts as absent.
  }
  await handle.close()
  return undefined
}

function publications(db: Warehouse['db'], accounts: readonly string[]) {
  return db
    .selectFrom('callsheet.published_reports')
    .select(['id', 'account', 'report', 'files', 'published_at', 'as_of'])
    .where('account', 'in', [...accounts])
}

function isErased({ erased, erasing }: RecordedFile): boolean {
  return erased === true || erasing === true
}

/** Whether the reports folder itself, not the target of a link in it, has a file of this path and size. */
async function isThere(directory: string, { path, bytes }: RecordedFile): Promise<boolean> {
  if (!isAbsolute(path)) return false
  try {
    const [shelf, folder] = [await realpath(directory), await realpath(dirname(path))]
    const way = relative(shelf, join(folder, basename(path)))
    if (way.startsWith(`..${sep}`) || isAbsolute(way)) return false
    const stats = await lstat(path)
    return stats.isFile() && stats.size === bytes
  } catch {
    return false
  }
}

async function digestOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const stream = handle.createReadStream({ start: 0, autoClose: false })
  for await (const piece of stream as AsyncIterable<Buffer>) hash.update(piece)
  return hash.digest('hex')
}

function openedFile(handle: FileHandle, { path, bytes }: RecordedFile): OpenedFile {
  return {
    name: basename(path),
    bytes,
    stream: () => handle.createReadStream({ start: 0, autoClose: true }),
    close: () => handle.close(),
  }
}

const MOST_PUBLICATIONS = 200
