import type { Stream } from '../core/define/stream.ts'
import { point } from '../core/kill-point.ts'
import { identityOf } from '../core/persons/identity.ts'
import { mentionOf } from '../core/persons/mentions.ts'
import { wordOf } from '../core/persons/row-mentions.ts'
import { joinKey } from '../core/records/record-key.ts'
import { parseLossless } from '../core/values/json.ts'
import { stateDecision, writtenBatch } from '../evidence/enter-rows.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { checkVersion } from './check-version.ts'
import { touchedOf } from './covering-reports.ts'
import { enterErasure } from './enter-erasure.ts'
import { closeFiles, releaseFiles } from './erase-files.ts'
import type { Erasing } from './erasing.ts'
import { beginErasing, markReports } from './mark-reports.ts'
import {
  deleteVersions,
  keysLike,
  patchVersion,
  readVersions,
  type StoredVersion,
} from './sql/erasure-rows.ts'
import { searchPatterns } from './sql/patterns.ts'

/**
 * Erases the person from the versions of a stream's rows. Deletes versions about the person, and redacts
 * versions that only name the person. A row's file goes with the last version. Rows under a hold stay.
 * Each transaction handles up to 500 keys. A repeated call does only the remaining work.
 */
export async function eraseStream(erasing: Erasing, stream: Stream): Promise<void> {
  const { account, identities, signal, warehouse } = erasing
  const patterns = searchPatterns(
    identities.filter(
      ({ kind, text }) => kind !== 'name' || erasing.suppression.nameCounts(text) === 'everywhere',
    ),
  )
  let after: readonly string[] | undefined
  for (;;) {
    signal.throwIfAborted()
    const place = { patterns, after, limit: KEYS_A_PASS }
    const keys = await retryDatabase(erasing, () =>
      keysLike(warehouse.db, { account, stream }, place),
    )
    for (let at = 0; at < keys.length; at += KEYS_A_BATCH) {
      signal.throwIfAborted()
      await eraseKeys(erasing, { stream, keys: keys.slice(at, at + KEYS_A_BATCH) })
    }
    if (keys.length < KEYS_A_PASS) return
    after = keys.at(-1)
  }
}

interface Lot {
  stream: Stream
  keys: readonly (readonly string[])[]
}

async function eraseKeys(erasing: Erasing, { stream, keys }: Lot): Promise<void> {
  const { account, warehouse } = erasing
  const scope = { account, stream }
  const first = checkAll(erasing, stream, await readVersions(warehouse.db, scope, keys))
  const { touched, gone } = first
  const kept = await releaseFiles(erasing, { stream, touched, gone })
  countKept(erasing, { stream, judged: first }, kept)
  const free = touched.filter((key) => !kept.has(joinKey(key)))
  if (free.length === 0) return
  await point('erase:rows')
  const counts = await inTransaction(erasing, async (tx) => {
    await beginErasing(tx, erasing)
    const judged = checkAll(erasing, stream, await readVersions(tx, scope, free))
    for (const { version, patch, columns } of judged.changing)
      await patchVersion(tx, scope, { version, patch, columns })
    await deleteVersions(tx, scope, judged.going)
    const files = await closeFiles(tx, erasing, { stream, keys: judged.gone })
    await enterErasure(tx, erasing, { stream, touched: judged.touched, ...files })
    const batch = erasing.dryRun ? undefined : await writtenBatch(tx, account)
    const stating = { account, key: () => erasing.key(), ledger: 'rows' } as const
    if (batch !== undefined) await stateDecision(tx, stating, [batch])
    const rows = versionsIn(judged).map(({ row }) => row)
    const covered = rows.length === 0 ? [] : await markReports(tx, erasing, touchedOf(stream, rows))
    return { deleted: judged.going.length, redacted: judged.changing.length, covered }
  })
  for (const id of counts.covered) erasing.marks.covered.add(id)
  await point('erase:rows-done')
  const sum = (erasing.outcome.tables[stream.name] ??= { deleted: 0, redacted: 0 })
  sum.deleted += counts.deleted
  sum.redacted += counts.redacted
}

function countKept(
  { outcome }: Erasing,
  { stream, judged }: { stream: Stream; judged: Judged },
  kept: ReadonlySet<string>,
): void {
  const { records } = outcome.kept
  for (const version of versionsIn(judged)) {
    if (!kept.has(joinKey(version.key))) continue
    const table = `${version.where}.${stream.name}`
    records[table] = (records[table] ?? 0) + 1
  }
}

interface Judged {
  going: StoredVersion[]
  changing: { version: StoredVersion; patch: string; columns: string[] }[]
  /** The keys with a version that changes or is deleted. */
  touched: string[][]
  /** The touched keys that lose every version. */
  gone: string[][]
}

function versionsIn({ going, changing }: Judged): StoredVersion[] {
  return [...going, ...changing.map(({ version }) => version)]
}

function checkAll(erasing: Erasing, stream: Stream, versions: readonly StoredVersion[]): Judged {
  const { suppression } = erasing
  const judged: Judged = { going: [], changing: [], touched: [], gone: [] }
  const byKey = Map.groupBy(versions, ({ key }) => joinKey(key))
  for (const own of byKey.values()) {
    const key = own[0]?.key ?? []
    const fates = own.map((version) => ({
      version,
      fate: checkVersion(stream, version, suppression),
    }))
    for (const { version, fate } of fates) {
      if (fate.kind === 'goes') judged.going.push(version)
      if (fate.kind !== 'goes') noteOthers(erasing, stream, version)
      if (fate.kind === 'changes')
        judged.changing.push({ version, patch: fate.patch, columns: fate.columns })
    }
    if (fates.some(({ fate }) => fate.kind !== 'stays')) judged.touched.push(key)
    if (fates.every(({ fate }) => fate.kind === 'goes')) judged.gone.push(key)
  }
  return judged
}

/** Notes longer IDs and addresses that fill an identifying column: they belong to another person. */
function noteOthers({ identities, others }: Erasing, stream: Stream, { row }: StoredVersion): void {
  const stored = parseLossless(row) as Record<string, unknown>
  for (const column of [
    ...stream.key,
    ...(stream.subject ?? []),
    ...(stream.person?.known ?? []),
  ]) {
    const value = stored[column]
    if (typeof value !== 'string' || mentionOf(value, identities) !== 'within') continue
    const word = identityOf(value)
    if (ONE_WORD.test(word.text)) others.add(wordOf(word))
  }
}

const ONE_WORD = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.+@/=-]*[\p{L}\p{N}=]$/u
/** The number of keys per pass, which is large because each pass reads the whole table. */
const KEYS_A_PASS = 50_000
const KEYS_A_BATCH = 500
