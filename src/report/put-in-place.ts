import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { link, lstat, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { CallsheetError } from '../core/errors.ts'
import { flushFolder } from '../store/dirty-folders.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { recordPlacing, wasPlaced } from './placed-files.ts'

export interface PlacedFile {
  path: string
  bytes: number
  sha256: string
  /** The path of an existing file that is left unchanged, because Callsheet may not have placed it. */
  kept?: string
}

export interface Publisher {
  warehouse: Pick<Warehouse, 'transaction'>
  account: string
}

/**
 * Flushes a complete file, makes it readable only by its owner, and gives it its final name. Leaves an
 * existing file with equal bytes; replaces one, atomically, only if its bytes are those of a file that we
 * placed there. Beside anything else (an edited file, a link, a folder) the new file gets a numbered name.
 */
export async function putInPlace(
  owner: Publisher,
  { temporary, path }: { temporary: string; path: string },
): Promise<PlacedFile> {
  await seal(temporary)
  const content = await digestOf(temporary)
  const wanted = resolve(path)
  const folder = await realpath(dirname(wanted))
  for (let number = 1; number <= MOST_NAMES; number++) {
    const place = numbered(wanted, number)
    const real = join(folder, basename(place))
    const there = await standsAt(place)
    const paths = [real, place] as const
    const found = there === undefined ? 'nothing' : await whoseIs(owner, { there, paths, content })
    if (found === 'somebody') continue
    const placing = { account: owner.account, path: real, sha256: content.sha256 }
    await owner.warehouse.transaction((tx) => recordPlacing(tx, placing))
    if (found !== 'the same' && !(await take(temporary, place, there))) continue
    await flushFolder(folder)
    return { path: place, ...content, ...(number === 1 ? {} : { kept: wanted }) }
  }
  throw noNameLeft(wanted)
}

/** Makes the file readable only by its owner, because reports contain names of people, and flushes it. */
async function seal(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  // Uses a single buffer, because a stream would allocate memory for each piece of a file of gigabytes.
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  const file = await open(path)
  let bytes = 0
  try {
    for (;;) {
      const { bytesRead } = await file.read(piece)
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
      hash.update(piece.subarray(0, bytesRead))
      bytes += bytesRead
    }
  } finally {
    await file.close()
  }
}

/** Adds a number from 2 on, in parentheses. Names of reports and of their tables contain no parentheses. */
function numbered(path: string, number: number): string {
  if (number === 1) return path
  const end = extname(path)
  return join(dirname(path), `${basename(path, end)} (${number})${end}`)
}

async function standsAt(path: string): Promise<Stats | undefined> {
  return await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Returns whether the file has `the same` content or was placed by us. An unreadable file is neither. */
async function whoseIs(
  { warehouse }: Publisher,
  {
    there,
    paths,
    content,
  }: { there: Stats; paths: readonly [string, string]; content: { sha256: string } },
): Promise<'the same' | 'ours' | 'somebody'> {
  if (!there.isFile()) return 'somebody'
  const found = await digestOf(paths[1]).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES' || error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) return 'somebody'
  const { sha256 } = found
  if (sha256 === content.sha256) return 'the same'
  const known = await warehouse.transaction((tx) => wasPlaced(tx, { paths, sha256 }))
  return known ? 'ours' : 'somebody'
}

/** Replaces the existing file, or takes a free name. Returns false if another process changed it first. */
async function take(temporary: string, place: string, before: Stats | undefined): Promise<boolean> {
  const now = await standsAt(place)
  if (now === undefined) return await takeFree(temporary, place)
  if (before === undefined || !isSame(before, now)) return false
  await rename(temporary, place)
  return true
}

/** Takes a free name with a hard link, which never replaces a file. Renames on a disk without hard links. */
async function takeFree(temporary: string, place: string): Promise<boolean> {
  try {
    await link(temporary, place)
    await rm(temporary)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!WITHOUT_LINKS.has(code)) throw error
    await rename(temporary, place)
  }
  return true
}

function isSame(before: Stats, now: Stats): boolean {
  return (['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const).every(
    (fact) => before[fact] === now[fact],
  )
}

function noNameLeft(path: string): CallsheetError {
  return new CallsheetError('no_name_left', {
    tried: `Storing a new file as ${path}`,
    came: `this name and the next ${MOST_NAMES} numbered names are taken by other files`,
    todo: 'move those files elsewhere, or choose another folder with --out or reports.directory',
  })
}

const MOST_NAMES = 1_000
/** The error codes of network shares and USB drives without hard links. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])
const PIECE_BYTES = 2 ** 18
