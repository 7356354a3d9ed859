import { LoadError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { enterRows } from '../../evidence/enter-rows.ts'
import type { SigningKey } from '../../evidence/log/signing-key.ts'
import { restateSlices } from '../../evidence/restate-slices.ts'
import { lockManifest } from '../../evidence/sql/manifest.ts'
import { countBatches } from '../../evidence/sql/slice-lines.ts'
import { statingAccounts } from '../../evidence/sql/statements.ts'
import type { EngineDeps } from '../../sync/run/run-context.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import {
  dropOldMonth,
  type KeptLedger,
  keepLedgerFrom,
  removeOldRows,
  type ThinnedLedger,
  thinnedWith,
} from './retention.ts'

export interface LedgerToPrune {
  ledger: KeptLedger
  months: number
}

export interface PrunedLedger {
  ledger: KeptLedger
  /** The start of the retention period. */
  keptFrom: string
  /** The months that were dropped. */
  months: readonly string[]
  /** The number of rows that were removed or emptied, by ledger. Excludes dropped months. */
  rows: Readonly<Partial<Record<ThinnedLedger, number>>>
  /** Whether a long-running reader blocked the remaining months. The next prune tries again. */
  putOff: boolean
}

interface Deps extends Pick<EngineDeps, 'warehouse' | 'clock' | 'observer'> {
  /** The key that signs new statements in the evidence; read only if an account has evidence. */
  key: () => SigningKey
}

/**
 * Removes old rows and months from a ledger. Each step is a transaction that leaves the ledgers consistent;
 * after an interruption, the next prune continues.
 */
export async function pruneLedger(
  deps: Deps,
  { ledger, months, signal }: LedgerToPrune & { signal: AbortSignal },
): Promise<PrunedLedger> {
  const { warehouse } = deps
  const keptFrom = await retryDatabase(deps, () =>
    warehouse.transaction(async (tx) => {
      const from = await keepLedgerFrom(tx, { ledger, months })
      if (ledger === 'slices') await stateRetention(tx, deps.key)
      return from
    }),
  )
  await point('retention:recorded')
  const dropped = ledger === 'slices' ? await dropMonths(deps, { keptFrom, signal }) : NONE
  const rows: PrunedLedger['rows'] = await thin(deps, { ledger, signal })
  return { ledger, keptFrom, ...dropped, rows }
}

async function dropMonths(
  deps: Deps,
  { keptFrom, signal }: { keptFrom: string; signal: AbortSignal },
): Promise<Pick<PrunedLedger, 'months' | 'putOff'>> {
  const months: string[] = []
  for (;;) {
    signal.throwIfAborted()
    const month = await retryDatabase(deps, () => dropMonth(deps, keptFrom))
    if (month === undefined || month === HELD) return { months, putOff: month === HELD }
    months.push(month)
    await point('retention:month')
  }
}

async function dropMonth(
  { warehouse, key }: Deps,
  keptFrom: string,
): Promise<string | typeof HELD | undefined> {
  try {
    return await warehouse.transaction((tx) => dropStated(tx, { keptFrom, key }), {
      patienceMs: PATIENCE_MS,
    })
  } catch (error) {
    if (error instanceof LoadError && error.code === 'lock_timeout') return HELD
    throw error
  }
}

async function thin(
  deps: Deps,
  { ledger: kept, signal }: { ledger: KeptLedger; signal: AbortSignal },
): Promise<PrunedLedger['rows']> {
  const rows: Partial<Record<ThinnedLedger, number>> = {}
  for (const ledger of thinnedWith(kept))
    for (let last = ROWS_AT_ONCE; last === ROWS_AT_ONCE; ) {
      signal.throwIfAborted()
      last = await retryDatabase(deps, () =>
        deps.warehouse.transaction((tx) => removeOldRows(tx, { ledger, most: ROWS_AT_ONCE })),
      )
      if (last > 0) rows[ledger] = (rows[ledger] ?? 0) + last
      await point('retention:rows')
    }
  return rows
}

const HELD = Symbol('held')
const NONE = { months: [], putOff: false } as const
/**
 * The timeout of one step: long enough for a very large installation, where dropping one month takes minutes.
 */
const PATIENCE_MS = 1_800_000
/** The number of rows per transaction: about a second of work. */
const ROWS_AT_ONCE = 20_000

/** Enters the start of the retention period into the evidence of each account that has any. */
export async function stateRetention(tx: Transaction, key: () => SigningKey): Promise<void> {
  for (const account of await statingAccounts(tx))
    await enterRows(tx, { account, key: key(), basis: BASIS }, { ledger: 'retention' })
}

/**
 * Drops the oldest month outside the retention period, and records anew the evidence of the batches that lost
 * slices. Returns the month's name; undefined if there was none to drop.
 */
export async function dropStated(
  tx: Transaction,
  { keptFrom, key }: { keptFrom: string; key: () => SigningKey },
): Promise<string | undefined> {
  const accounts = await statingAccounts(tx)
  for (const account of accounts) await lockManifest(tx, account)
  const before = accounts.length === 0 ? [] : await countBatches(tx, keptFrom)
  const month = await dropOldMonth(tx)
  if (before.length === 0) return month
  const after = new Map(
    (await countBatches(tx, keptFrom)).map(({ account, subject, rows }) => [
      `${account} ${subject}`,
      rows,
    ]),
  )
  for (const account of accounts) {
    const less = before.filter(
      (one) => one.account === account && after.get(`${account} ${one.subject}`) !== one.rows,
    )
    const subjects = less.map(({ subject }) => subject)
    if (subjects.length > 0)
      await restateSlices(tx, { account, key: key(), basis: BASIS }, subjects)
  }
  return month
}

const BASIS = 'ledger.keepMonths'
