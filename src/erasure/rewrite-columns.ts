import type { Stream } from '../core/define/stream.ts'
import { point } from '../core/kill-point.ts'
import { type ColumnPolicy, NOTIFICATIONS } from '../core/records/column-policy.ts'
import { stateDecision, writtenBatch } from '../evidence/enter-rows.ts'
import type { Transaction } from '../warehouse/connect.ts'
import {
  type PolicyChange,
  policyChanges,
  putInForce,
} from '../warehouse/keep-out/column-policies.ts'
import { lockSuppressions } from '../warehouse/keep-out/erasure-locks.ts'
import { acquireLease, type Lease } from '../warehouse/ledger/lease.ts'
import { inTransaction, retryDatabase } from '../warehouse/ledger/retry-database.ts'
import { touchedOf } from './covering-reports.ts'
import { inDryRun } from './dry-run.ts'
import type { ErasureDeps } from './erasing.ts'
import { markReports } from './mark-reports.ts'
import { remakeReport } from './remake-report.ts'
import { rewrittenVersion } from './rewritten-version.ts'
import { keysLike, patchVersion, readVersions } from './sql/erasure-rows.ts'
import { rewriteDrift, rewriteNotifications, rewriteQuarantine } from './sql/rewrite-ledgers.ts'
import type { ReportMarks } from './sql/sent-reports.ts'
import { cleanTables } from './sql/vacuum-tables.ts'
import { withdrawReports } from './withdraw-reports.ts'
import type { Withdrawn } from './withdrawing.ts'

export interface RewriteColumns {
  account: string
  /** Undefined if the account stores all fields. */
  policy: ColumnPolicy | undefined
  /** Whether the operator has dealt with the files that an earlier run reported as undecided. */
  settled: boolean
  dryRun: boolean
  signal: AbortSignal
}

export interface RewrittenColumns {
  changes: readonly PolicyChange[]
  /** By table, the number of rewritten rows. Each version counts. */
  tables: Record<string, number>
  reports: Withdrawn | undefined
}

/**
 * Rewrites stored data to the changed parts of the column policy: rows, history, quarantined records,
 * examples of drift, notifications and published reports. It commits in small transactions, and the next call
 * completes an interrupted one; only then syncs run again. Values that an earlier policy dropped or hashed
 * come back with the next read, as changed records. A dry run rolls back the same work.
 */
export async function rewriteColumns(
  deps: ErasureDeps,
  rewrite: RewriteColumns,
): Promise<RewrittenColumns> {
  const { account, dryRun } = rewrite
  const lease = await acquireLease(deps.warehouse, { account, job: 'erase', clock: deps.clock })
  try {
    const signal = AbortSignal.any([rewrite.signal, lease.lost])
    if (!dryRun) await deps.store.open()
    const work = (inside: ErasureDeps, held: Lease) =>
      rewriteAll({
        ...inside,
        ...rewrite,
        lease: held,
        signal,
        tables: {},
        marks: { covered: new Set() },
      })
    return dryRun ? await inDryRun(deps, lease, work) : await work(deps, lease)
  } finally {
    await lease.release()
  }
}

interface Rewriting extends ErasureDeps, RewriteColumns {
  lease: Lease
  tables: RewrittenColumns['tables']
  marks: ReportMarks
}

async function rewriteAll(rewriting: Rewriting): Promise<RewrittenColumns> {
  const { account, warehouse, streams, policy, dryRun, tables } = rewriting
  const changes = await retryDatabase(rewriting, () =>
    policyChanges(warehouse.db, account, { policy, streams }),
  )
  if (changes.length === 0) return { changes, tables, reports: undefined }
  const changed = changes.flatMap(({ stream }) => stream ?? [])
  // The record of a parent contains the records of its nested streams.
  const parents = changed.flatMap(({ sync }) => (sync.kind === 'nested' ? [sync.parent] : []))
  for (const stream of new Set([...changed, ...parents])) await rewriteStream(rewriting, stream)
  const ofEvents = changes.some(({ name }) => name === NOTIFICATIONS)
  if (ofEvents) await rewriteEvents(rewriting, (work) => inTransaction(rewriting, work))
  const reports = await withdraw(rewriting)
  if (!dryRun) {
    await rewriting.sign(rewriting.lease)
    await cleanTables(warehouse, streams)
    await point('erase:finishing')
    await inTransaction(rewriting, async (tx) => {
      // Receivers stored notifications under the previous policy until now. They wait for this transaction.
      await lockSuppressions(tx, account)
      if (ofEvents) await rewriteEvents(rewriting, (work) => work(tx))
      for (const change of changes) await putInForce(tx, account, change)
    })
  }
  return { changes, tables, reports }
}

async function rewriteStream(rewriting: Rewriting, stream: Stream): Promise<void> {
  const { account, policy, signal, warehouse } = rewriting
  const own = policy?.of(stream)
  if (policy === undefined || own === undefined) return
  const ledgers = { account, name: stream.name, policy: own }
  const fields = Object.keys(policy.settings[stream.name] ?? {})
  const counts = await inTransaction(rewriting, async (tx) => ({
    quarantine: await rewriteQuarantine(tx, ledgers),
    drift: await rewriteDrift(tx, { ...ledgers, fields }),
  }))
  count(rewriting, 'callsheet.quarantine', counts.quarantine)
  count(rewriting, 'callsheet.drift', counts.drift)
  for (let after: readonly string[] | undefined; ; ) {
    const place = { patterns: ['%'], after, limit: KEYS_A_BATCH }
    const keys = await retryDatabase(rewriting, () =>
      keysLike(warehouse.db, { account, stream }, place),
    )
    signal.throwIfAborted()
    if (keys.length > 0) await rewriteKeys(rewriting, stream, keys)
    if (keys.length < KEYS_A_BATCH) return
    after = keys.at(-1)
  }
}

async function rewriteKeys(
  rewriting: Rewriting,
  stream: Stream,
  keys: readonly (readonly string[])[],
): Promise<void> {
  const { account, policy, dryRun } = rewriting
  if (policy === undefined) return
  await point('erase:rows')
  const done = await inTransaction(rewriting, async (tx) => {
    // As in `beginErasing`: a report that is made now either is recorded before and marked here, or waits.
    if (!dryRun) await lockSuppressions(tx, account)
    const scope = { account, stream }
    const versions = await readVersions(tx, scope, keys)
    const changing = versions.flatMap((version) => {
      const patch = rewrittenVersion(stream, policy, version)
      return patch === undefined ? [] : [{ version, ...patch }]
    })
    for (const change of changing) await patchVersion(tx, scope, change)
    const batch = dryRun ? undefined : await writtenBatch(tx, account)
    const stating = { account, key: () => rewriting.key(), ledger: 'rows' } as const
    if (batch !== undefined) await stateDecision(tx, stating, [batch])
    const rows = changing.map(({ version }) => version.row)
    const covered =
      rows.length === 0 ? [] : await markReports(tx, rewriting, touchedOf(stream, rows))
    return { where: changing.map(({ version }) => version.where), covered }
  })
  for (const id of done.covered) rewriting.marks.covered.add(id)
  await point('erase:rows-done')
  for (const where of done.where) count(rewriting, `${where}.${stream.name}`, 1)
}

/** Rewrites the notifications that are not under the policy yet, a few hundred in each transaction. */
async function rewriteEvents(
  rewriting: Rewriting,
  transact: (work: (tx: Transaction) => Promise<Lot>) => Promise<Lot>,
): Promise<void> {
  const { account, policy, signal } = rewriting
  if (policy === undefined) return
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal.throwIfAborted()
    const from: number = after
    const lot = await transact((tx) => rewriteNotifications(tx, { account, policy, after: from }))
    count(rewriting, 'callsheet.notifications', lot.rewritten)
    after = lot.last
  }
}

type Lot = Awaited<ReturnType<typeof rewriteNotifications>>

/** Withdraws the publications that the rewritten rows marked, and makes them again. */
async function withdraw(rewriting: Rewriting): Promise<Withdrawn> {
  const { account, warehouse, signal, dryRun, settled, reports } = rewriting
  return await withdrawReports({
    warehouse: {
      db: warehouse.db,
      transaction: (work) => inTransaction(rewriting, work),
    },
    account,
    signal,
    dryRun,
    settled,
    named: () => false,
    directory: reports.directory,
    names: [...reports.all.map(({ name }) => name), 'audit', 'table'],
    remake: (row, paths) => remakeReport(rewriting, { account, row, paths }),
  })
}

function count({ tables }: Rewriting, table: string, rows: number): void {
  if (rows > 0) tables[table] = (tables[table] ?? 0) + rows
}

const KEYS_A_BATCH = 500
