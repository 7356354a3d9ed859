import { LoadError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { SigningKey } from '../../evidence/log/signing-key.ts'
import type { EngineDeps } from '../../sync/run/run-context.ts'
import { retryDatabase } from '../../warehouse/ledger/retry-database.ts'
import {
  countOldRows,
  type KeptLedger,
  keepLedgerFrom,
  type OldMonth,
  oldestKept,
  oldMonths,
  removeOldRows,
  type ThinnedLedger,
  thinnedWith,
} from '../ledger/retention.ts'
import { dropStated, stateRetention } from './drop-stated.ts'

export interface LedgerToPrune {
  ledger: KeptLedger
  months: number
}

export interface PrunedLedger {
  ledger: KeptLedger
  /** From when it is kept now. */
  keptFrom: string
  /** The months that were dropped. */
  months: readonly string[]
  /** How many rows went, or were emptied, by ledger; those of dropped months not among them. */
  rows: Readonly<Partial<Record<ThinnedLedger, number>>>
  /** A long reader held the rest of the months, which a later prune drops. */
  putOff: boolean
}

interface Deps extends Pick<EngineDeps, 'warehouse' | 'clock' | 'observer'> {
  /** Vouches for what is stated anew of the slices that are left; read only where something was stated. */
  key: () => SigningKey
}

/**
 * Removes what a ledger keeps no longer. Each step is a transaction of its own that leaves the ledgers right:
 * if it is stopped, the next prune goes on.
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

export interface PrunePreview extends Pick<PrunedLedger, 'ledger' | 'keptFrom' | 'rows'> {
  months: readonly OldMonth[]
}

/** What a prune would remove now. */
export async function previewLedger(
  { warehouse: { db } }: Pick<EngineDeps, 'warehouse'>,
  asked: LedgerToPrune,
): Promise<PrunePreview> {
  const { ledger } = asked
  const before = await oldestKept(db, asked)
  const rows: Partial<Record<ThinnedLedger, number>> = {}
  for (const name of thinnedWith(ledger)) {
    const count = await countOldRows(db, { ledger: name, before })
    if (count > 0) rows[name] = count
  }
  const months = ledger === 'slices' ? await oldMonths(db, before) : []
  return { ledger, keptFrom: before, months, rows }
}

const HELD = Symbol('held')
const NONE = { months: [], putOff: false } as const
/** A month of an installation with very many slices takes minutes. */
const PATIENCE_MS = 1_800_000
/** A second's work. */
const ROWS_AT_ONCE = 20_000
