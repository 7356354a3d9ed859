import { sql } from 'kysely'
import type { FoundReading, FoundReadings } from '../core/ports.ts'
import type { Warehouse } from './connect.ts'

/**
 * What was found out of how an account's service reads its documents. It is looked up in memory: what another
 * process finds meanwhile is seen by whoever opens the account next, or found again.
 */
export async function openFoundReadings(
  { db }: Warehouse,
  account: string,
): Promise<FoundReadings> {
  const { rows } = await sql<Row>`select reading, variant, shown_by, found_at
    from callsheet.found_readings where account = ${account} order by reading collate "C"`.execute(
    db,
  )
  const known = new Map(rows.map((row) => [row.reading, foundOf(row)]))
  return {
    get: (reading) => known.get(reading)?.variant,
    all: () => [...known.values()],
    async remember({ reading, variant, shownBy }) {
      if (known.get(reading)?.variant === variant) return
      const { rows: kept } = await sql<Row>`
        insert into callsheet.found_readings as f (account, reading, variant, shown_by)
        values (${account}, ${reading}, ${variant}, ${shownBy})
        on conflict (account, reading) do update set found_at = case
            when f.variant = excluded.variant then f.found_at else excluded.found_at end,
          variant = excluded.variant, shown_by = excluded.shown_by
        returning reading, variant, shown_by, found_at`.execute(db)
      for (const row of kept) known.set(reading, foundOf(row))
    },
  }
}

interface Row {
  reading: string
  variant: string
  shown_by: string
  found_at: string
}

function foundOf({ reading, variant, shown_by: shownBy, found_at }: Row): FoundReading {
  return { reading, variant, shownBy, foundAtMs: Date.parse(found_at) }
}
