import { sql } from 'kysely'
import { LEAST_KEPT_MONTHS } from '../src/config/kept-months.ts'
import { silentObserver } from '../src/core/define/observer.ts'
import { systemClock } from '../src/core/time/clock.ts'
import { pruneLedger } from '../src/serve/ledger/prune-ledgers.ts'
import type { Warehouse } from '../src/warehouse/connect.ts'
import { newKey } from '../test/helpers/evidence-stage.ts'
import type { Figure } from './figures.ts'

const MOST_SECONDS = 5

/** Drops all months that may go, and says what that took and what is left. */
export async function measurePrune(
  warehouse: Warehouse,
): Promise<{ figure: Figure; lines: string[][] }> {
  const before = await sizeOf(warehouse)
  const startedMs = performance.now()
  const { signal } = new AbortController()
  const deps = { warehouse, clock: systemClock, observer: silentObserver, key: newKey }
  const pruned = await pruneLedger(deps, { ledger: 'slices', months: LEAST_KEPT_MONTHS, signal })
  const takenSeconds = (performance.now() - startedMs) / 1000
  const after = await sizeOf(warehouse)
  const months = pruned.months.filter((name) => name.startsWith('slices')).length
  const each = takenSeconds / Math.max(1, months)
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
  const figure = {
    what: `dropping an old month, one of ${months}`,
    measured: `${each.toFixed(2)} s`,
    beside: `${takenSeconds.toFixed(1)} s in all`,
    target: `<= ${MOST_SECONDS} s`,
    met: months > 0 && each <= MOST_SECONDS,
  }
  const lines = [
    ['ledger of slices', 'before', 'after'],
    ['entries', before.entries.toLocaleString('en'), after.entries.toLocaleString('en')],
    ['on disk', megabytes(before.bytes), megabytes(after.bytes)],
  ]
  return { figure, lines }
}

async function sizeOf({ db }: Warehouse): Promise<{ entries: number; bytes: number }> {
  const { rows } = await sql<{ entries: number; bytes: number }>`
    select (select count(*) from callsheet.slices)::int as entries,
      sum(pg_total_relation_size(relid))::bigint as bytes
    from pg_partition_tree('callsheet.slices')`.execute(db)
  return rows[0] ?? { entries: 0, bytes: 0 }
}
