import { chunksOf } from '../../core/chunks.ts'
import { counted } from '../../core/values/quantities.ts'
import { readEntry } from '../../evidence/log/entry.ts'
import { explains } from '../../evidence/log/erased-kinds.ts'
import { entriesAmong, type ManifestRow } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { manifestLine } from '../proof/bundle-format.ts'
import { fileIndex } from './audit-selection.ts'
import { type Contents, learnFiles } from './contents.ts'
import { type Exporting, UNSIGNED } from './exporting.ts'
import { isSigned, selections } from './in-scope.ts'
import { logPaths } from './log-paths.ts'

/** Adds the covered entries that are in scope, state slices or rows, or are `lost`; with proofs, in order. */
export async function addManifest(
  tx: Transaction,
  exporting: Exporting,
  contents: Contents,
): Promise<void> {
  const { account, bundle, facts } = exporting
  const subjects = selections(tx, exporting).map((one) => one.subjects)
  const beside = [...exporting.lost, ...contents.stated]
  const erasing = erasuresUnsigned(exporting)
  const pathOf = logPaths(tx, exporting)
  const lines = async function* (): AsyncGenerator<string> {
    const entries = entriesAmong(tx, account, { subjects, by: 'seq', beside })
    for await (const rows of chunksOf(entries, PAGE)) {
      await learnFiles(tx, exporting, { rows, contents })
      for (const row of rows) {
        if (!isSigned(exporting, row)) return
        facts.entries++
        const content = contents.known.get(row.seq) ?? null
        const unsigned = contents.removed.has(row.seq) ? 'removal' : erasing(row)
        const without = row.kind === 'erasure' || unsigned !== undefined
        const salt = without ? null : (row.salt?.toString('hex') ?? null)
        const { line: entry, subjectSalt } = row
        const told = subjectSalt && {
          subject: row.subject,
          subject_salt: subjectSalt.toString('hex'),
        }
        yield manifestLine({ entry, salt, ...told, content, unsigned, path: await pathOf(row) })
      }
    }
  }
  await bundle.add('manifest.ndjson', lines())
}

/** Returns a test: whether an erasure that no checkpoint covers yet removed an entry's salt. */
function erasuresUnsigned({ pending }: Exporting): (row: ManifestRow) => 'erasure' | undefined {
  const erasures = pending.filter(({ kind }) => kind === 'erasure')
  const bySubject = Map.groupBy(erasures, ({ subject }) => subject)
  return ({ salt, subject, kind }) => {
    const said = salt === null && kind !== 'erasure' ? (bySubject.get(subject) ?? []) : []
    const sizes = said.map(({ line }) => readEntry(line)?.size ?? Number.NaN)
    return sizes.some((size) => explains(size, kind)) ? 'erasure' : undefined
  }
}

/** Adds the state of each activity's file. Returns the digests that the bundle must contain. */
export async function addIndex(
  tx: Transaction,
  { selection, bundle, problems }: Exporting,
  contents: Contents,
): Promise<string[]> {
  const entered = new Set(contents.known.values())
  const digests = new Set<string>()
  let without = 0
  const lines = async function* (): AsyncGenerator<string> {
    for await (const row of fileIndex(tx, selection)) {
      const { sha256, state } = row
      if (state === 'stored' && sha256 !== null) {
        // A file without a signed entry is omitted, because nothing would prove it. It is counted as
        // unsigned, unless an entry records other content for it.
        if (!entered.has(sha256)) {
          if (!contents.strange.has(sha256)) without++
          continue
        }
        digests.add(sha256)
      }
      yield `${JSON.stringify(row)}\n`
    }
  }
  await bundle.add('files.ndjson', lines())
  const removed = new Set(contents.removed.values()).size
  if (removed > 0) problems.push(`${counted(removed, 'file')} ${REMOVED_UNSIGNED}`)
  if (without > 0) problems.push(`${counted(without, 'file')} ${UNSIGNED}`)
  return [...digests]
}

const REMOVED_UNSIGNED =
  'removed since the newest checkpoint and left out: the next prune or sync records the removal'
const PAGE = 1_000
