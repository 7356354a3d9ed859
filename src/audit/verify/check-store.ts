import { createHash } from 'node:crypto'
import {
  type KeptContent,
  keptContents,
  mayLieThere,
  subjectsOfContent,
} from '../../archive/sql/kept-contents.ts'
import { markLost } from '../../archive/sql/lost-files.ts'
import { LoadError, StoreError } from '../../core/errors.ts'
import { runLimited } from '../../core/run-limited.ts'
import { counted } from '../../core/values/quantities.ts'
import { faultOfOneFile, isOfOneFile } from '../../store/one-file.ts'
import { isAtWork } from '../../warehouse/ledger/lease.ts'
import { openHashPool } from './hash-pool.ts'
import type { Hashed } from './hash-worker.ts'
import { MAY_NOT } from './verifications.ts'
import type { Verifying } from './verifying.ts'

interface Looking extends Verifying {
  /** The number of contents of removed files that are missing without a recorded deletion. */
  unsaid: number
  /** Digests of stored files that are missing or changed. */
  lost: string[]
}

/**
 * Reads every file that may exist according to the ledger, and compares its digest and size; then looks for
 * files that the ledger does not list.
 */
export async function checkStore(wanted: Verifying): Promise<void> {
  const verifying: Looking = { ...wanted, unsaid: 0, lost: [] }
  if (verifying.store.pathOf === undefined)
    await eachPage(verifying, (page) =>
      runLimited(page, STREAMS_AT_ONCE, async (content) => {
        const hashed = await hashStream(verifying, content)
        await judge(verifying, content, hashed)
      }),
    )
  else await checkHere(verifying, verifying.store.pathOf)
  await reportLost(verifying)
  if (verifying.unsaid > 0)
    verifying.notJudged.push(
      `${verifying.unsaid} removed files that are no longer in ${verifying.store.place}: an interrupted ` +
        'prune deleted them, and the next prune logs that.',
    )
  await findStrangers(verifying)
}

/** Hashes local files in several threads. */
async function checkHere(verifying: Looking, pathOf: (sha256: string) => string): Promise<void> {
  const pool = openHashPool()
  try {
    await eachPage(verifying, (page) =>
      runLimited(inLots(page), pool.size, async (lot) => {
        verifying.signal.throwIfAborted()
        const hashed = await pool.hash(lot.map(({ sha256 }) => pathOf(sha256.toString('hex'))))
        for (const [at, content] of lot.entries())
          await judge(verifying, content, hashed[at] ?? { code: 'unknown' })
      }),
    )
  } finally {
    await pool.close()
  }
}

async function eachPage(
  { account, warehouse, signal }: Verifying,
  work: (page: KeptContent[]) => Promise<void>,
): Promise<void> {
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    signal.throwIfAborted()
    const page = await keptContents(warehouse.db, account, { after, limit: PAGE })
    await work(page)
    const last = page.at(-1)
    if (page.length < PAGE || last === undefined) return
    after = last.sha256
  }
}

/** Groups files into lots, one for each call. A lot ends after `LOT_FILES` files or `LOT_BYTES` bytes. */
function* inLots(page: readonly KeptContent[]): Generator<KeptContent[]> {
  let lot: KeptContent[] = []
  let bytes = 0
  for (const content of page) {
    lot.push(content)
    bytes += content.size
    if (bytes < LOT_BYTES && lot.length < LOT_FILES) continue
    yield lot
    lot = []
    bytes = 0
  }
  if (lot.length > 0) yield lot
}

async function hashStream({ store, signal }: Verifying, { sha256 }: KeptContent): Promise<Hashed> {
  signal.throwIfAborted()
  const hash = createHash('sha256')
  let bytes = 0
  try {
    const pieces = await store.read(sha256.toString('hex'))
    if (pieces === undefined) return { code: 'ENOENT' }
    for await (const piece of pieces) {
      hash.update(piece)
      bytes += piece.length
    }
  } catch (error) {
    const came = faultOfOneFile(error)
    if (came === undefined) throw error
    return { code: (error as StoreError).code, came }
  }
  return { sha256: hash.digest('hex'), bytes }
}

async function judge(verifying: Looking, content: KeptContent, hashed: Hashed): Promise<void> {
  const { checked, onProgress } = verifying
  const expected = content.sha256.toString('hex')
  if (content.stored) checked.files++
  if ('code' in hashed) return await judgeUnread(verifying, content, hashed)
  if (!content.stored) checked.kept++
  checked.bytes += hashed.bytes
  onProgress?.({ files: checked.files, bytes: checked.bytes })
  const { sha256: found, bytes } = hashed
  if (found !== expected)
    return report(verifying, content, { code: 'file_changed', expected, found })
  if (bytes === content.size) return
  const sizes = { expected: `${content.size} bytes`, found: `${bytes} bytes` }
  await report(verifying, content, { code: 'size_wrong', ...sizes })
}

/** Reports an unreadable file as an ordinary finding, so that the other files are still checked. */
async function judgeUnread(
  verifying: Looking,
  content: KeptContent,
  { code, came }: { code: string; came?: string },
): Promise<void> {
  const expected = content.sha256.toString('hex')
  // An interrupted prune may have deleted the file without recording the deletion.
  if (!content.stored && code === 'ENOENT') return void verifying.unsaid++
  const found = MISSING[code]
  if (found !== undefined)
    return await report(verifying, content, { code: 'file_missing', expected, found })
  if (came === undefined && !isOfOneFile(code)) throw unreadable(verifying, code)
  await report(verifying, content, {
    code: 'file_unreadable',
    expected,
    found: came ?? `the system reports ${code}`,
  })
}

/** Reports a file, unless the file was removed from the ledger in the meantime. */
async function report(
  { account, warehouse, findings, lost }: Looking,
  { sha256, stored }: KeptContent,
  { code, ...seen }: { code: string; expected: string; found: string },
): Promise<void> {
  const subjects = await subjectsOfContent(warehouse.db, account, { sha256, stored })
  if (subjects.length === 0) return
  findings.add(code, `the file of ${subjects.join(', ')}`, seen)
  if (stored) lost.push(sha256.toString('hex'))
}

/** Marks files as lost, so that the next run downloads those that the service still has. */
async function reportLost({ account, warehouse, lost, notJudged }: Looking): Promise<void> {
  if (lost.length === 0) return
  try {
    await warehouse.transaction((tx) => markLost(tx, account, lost))
  } catch (error) {
    if (!(error instanceof LoadError) || !MAY_NOT.has(error.code)) throw error
    notJudged.push(
      `${lost.length} missing or changed files, which were not marked as lost: this database role cannot ` +
        'write. No run downloads them again.',
    )
  }
}

function unreadable({ store }: Verifying, code: string): StoreError {
  return new StoreError('store_unreadable', {
    tried: `Reading the files in ${store.place} to verify them`,
    came: `the system reports ${code}`,
    todo: 'make the files readable by this user, or check the disk; then run callsheet verify again',
  })
}

/**
 * Reports files in the store that are not in the ledger. While a run is active, this is an open question
 * instead of a finding, because a run stores each file just before it records the file.
 */
async function findStrangers(verifying: Verifying): Promise<void> {
  const { account, warehouse, store, findings, notJudged } = verifying
  let underWay = 0
  let digests: string[] = []
  const compare = async (): Promise<void> => {
    const atWork = await isAtWork(warehouse.db, account)
    const known = await mayLieThere(warehouse.db, account, digests)
    const strangers = digests.filter((digest) => !known.has(digest))
    if (atWork) underWay += strangers.length
    else
      for (const digest of strangers)
        findings.add('file_without_entry', `the file ${digest} in ${store.place}`, {
          expected: 'a file that the ledger lists as stored, or as removed but not deleted yet',
        })
    digests = []
  }
  try {
    for await (const file of store.names?.() ?? store.list()) {
      digests.push(typeof file === 'string' ? file : file.sha256)
      if (digests.length === PAGE) await compare()
    }
  } catch (error) {
    const found = faultOfOneFile(error)
    if (found === undefined) throw error
    findings.add('folder_unreadable', `a folder of ${store.place}`, {
      expected: 'a readable folder; this folder and the following ones were not checked',
      found,
    })
  }
  await compare()
  if (underWay > 0)
    notJudged.push(
      `${counted(underWay, 'file')} in ${store.place} without an entry: an active run may be about to ` +
        'add them. ' +
        'Verify again when it has ended.',
    )
}

/** Texts for what exists at the path of a missing file, by the system's error code. */
const MISSING: Readonly<Record<string, string>> = {
  ENOENT: 'no such file in the store',
  ELOOP: 'a symbolic link',
  EISDIR: 'a directory',
  ENXIO: 'not a regular file',
  ENOTDIR: 'a file in place of its folder',
}
const PAGE = 2_000
const STREAMS_AT_ONCE = 8
const LOT_FILES = 64
const LOT_BYTES = 8 * 2 ** 20
