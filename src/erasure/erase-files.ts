import { lockHolds } from '../archive/sql/holds.ts'
import { fileItem } from '../core/define/file-source.ts'
import type { Stream } from '../core/define/stream.ts'
import { StoreError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import { joinKey } from '../core/records/record-key.ts'
import { runLimited } from '../core/run-limited.ts'
import { enterRemoved } from '../evidence/enter-files.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { inTransaction } from '../warehouse/ledger/retry-database.ts'
import { type Erasing, vouchingOf } from './erasing.ts'
import {
  contentsToRemove,
  type FileName,
  type ForgottenFiles,
  forgetFiles,
  formerNames,
  heldFiles,
  markErased,
  type NamedFiles,
} from './sql/erasure-files.ts'

interface Rows {
  stream: Stream
  keys: readonly (readonly string[])[]
}

/** Keys of rows that change or are deleted, and the keys among them that lose every version. */
interface TouchedRows {
  stream: Stream
  touched: Rows['keys']
  gone: Rows['keys']
}

/**
 * Removes the bytes of the files of `gone` rows, before the rows are deleted and the files can no longer be
 * found. Records the files as removed first, so that the next call completes an interrupted one. Bytes under
 * a hold or a lock stay. Returns the keys of the touched rows that stay unchanged with their files because of
 * a hold.
 */
export async function releaseFiles(
  erasing: Erasing,
  { stream, touched, gone }: TouchedRows,
): Promise<ReadonlySet<string>> {
  const files = filesOf(erasing, { stream, keys: touched })
  if (files === undefined) return new Set()
  const { outcome, account, dryRun } = erasing
  const going = gone.map((key) => nameOf(erasing, stream, key))
  const { held, places, contents } = await inTransaction(erasing, async (tx) => {
    await lockHolds(tx, account)
    const covered = await heldFiles(tx, files)
    const kept = new Set(covered.map(placeOf))
    const free = going.filter((name) => !kept.has(placeOf(name)))
    const { names } = await withFormer(tx, erasing, { ...files, names: free })
    await markErased(tx, { ...files, names })
    const removed = names.map((name) => ({ kind: files.kind, ...name }))
    if (!dryRun) await enterRemoved(tx, vouchingOf(erasing), removed)
    const taken = await contentsToRemove(tx, { ...files, names })
    return { held: covered, places: kept, contents: taken }
  })
  for (const { hold } of held) outcome.kept.held[hold] = (outcome.kept.held[hold] ?? 0) + 1
  const free = contents.filter(({ hold }) => hold === null)
  for (const { sha256, hold } of contents) {
    if (hold === null) continue
    outcome.kept.shared[hold] = (outcome.kept.shared[hold] ?? 0) + 1
    erasing.staying.add(sha256)
  }
  await point('erase:files')
  if (dryRun) for (const { size } of free) countFile(outcome, size)
  else await removeBytes(erasing, free)
  await point('erase:files-done')
  const stays = (key: readonly string[]): boolean =>
    places.has(placeOf(nameOf(erasing, stream, key)))
  return new Set(touched.filter(stays).map(joinKey))
}

const placeOf = ({ parent, item }: FileName): string => joinKey([parent, item])

/** Removes bytes that the store does not lock, and flushes, so that a later crash does not restore them. */
async function removeBytes(
  { store, outcome, signal, staying }: Erasing,
  contents: readonly { sha256: string; size: number }[],
): Promise<void> {
  if (contents.length === 0) return
  await runLimited(contents, REMOVALS_AT_ONCE, async ({ sha256, size }) => {
    signal.throwIfAborted()
    try {
      await store.remove(sha256)
      countFile(outcome, size)
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store_locked') throw error
      staying.add(sha256)
      outcome.kept.locked++
    }
  })
  await store.flush()
}

function countFile({ files }: Erasing['outcome'], size: number): void {
  files.removed++
  files.bytes += size
}

/**
 * Deletes the files from the ledger in the transaction that deletes the rows, except files whose content
 * stays. Returns the files' subjects in the manifest, and which of these files stay.
 */
export async function closeFiles(
  tx: Transaction,
  erasing: Erasing,
  rows: Rows,
): Promise<ForgottenFiles> {
  const files = filesOf(erasing, rows)
  if (files === undefined) return { files: [], staying: [] }
  return await forgetFiles(tx, await withFormer(tx, erasing, files), [...erasing.staying])
}

/** Adds the files' former names. No hold covers them: a hold covers all files of a parent or none. */
async function withFormer(
  tx: Transaction,
  erasing: Erasing,
  files: NamedFiles,
): Promise<NamedFiles> {
  if (files.names.length === 0) return files
  const rows = erasing.files.filter(({ kind }) => kind === files.kind).flatMap((one) => one.rows)
  const former = await formerNames(tx, files, rows)
  return { ...files, names: [...files.names, ...former] }
}

function filesOf(erasing: Erasing, { stream, keys }: Rows): NamedFiles | undefined {
  const source = erasing.files.find(({ rows }) => rows.some((row) => row.stream === stream))
  if (source === undefined || keys.length === 0) return undefined
  const names = keys.map((key) => nameOf(erasing, stream, key))
  return { account: erasing.account, kind: source.kind, names }
}

function nameOf({ files }: Erasing, stream: Stream, key: readonly string[]): FileName {
  const row = files.flatMap(({ rows }) => rows).find((one) => one.stream === stream)
  const part = (column: string | undefined): string =>
    column === undefined ? '' : (key[stream.key.indexOf(column)] ?? '')
  const ordinal = row?.ordinal === undefined ? 0 : Number(part(row.ordinal))
  return { parent: key[0] ?? '', item: fileItem(part(row?.item), ordinal) }
}

const REMOVALS_AT_ONCE = 8
