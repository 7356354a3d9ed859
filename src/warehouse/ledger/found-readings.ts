import type { FoundReadings } from '../../core/define/ports.ts'
import type { Warehouse } from '../connect.ts'

/**
 * The readings of the documents that were found for an account's service. They are looked up in memory. What
 * another process finds is seen when the account is next opened, or is found again.
 */
export async function openFoundReadings(
  { db }: Warehouse,
  account: string,
): Promise<FoundReadings> {
  const rows = await db
    .selectFrom('callsheet.found_readings')
    .select(['reading', 'variant', 'shown_by as shownBy'])
    .where('account', '=', account)
    .orderBy('reading', (order) => order.collate('C'))
    .execute()
  const known = new Map(rows.map((row) => [row.reading, row]))
  const stored = new Map(rows.map(({ reading, variant }) => [reading, variant]))
  const store = async (reading: string): Promise<void> => {
    const newest = known.get(reading)
    if (newest === undefined || stored.get(reading) === newest.variant) return
    const { variant, shownBy } = newest
    await db
      .insertInto('callsheet.found_readings')
      .values({ account, reading, variant, shown_by: shownBy })
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'reading'])
          .doUpdateSet(({ ref }) => ({
            variant: ref('excluded.variant'),
            shown_by: ref('excluded.shown_by'),
            found_at: ref('excluded.found_at'),
          }))
          .whereRef('callsheet.found_readings.variant', '<>', 'excluded.variant'),
      )
      .execute()
    stored.set(reading, variant)
  }
  // Stored one after the other, so that the newest of two parallel findings stays.
  let last: Promise<unknown> = Promise.resolve()
  return {
    get: (reading) => known.get(reading)?.variant,
    all: () => [...known.values()],
    async remember(found) {
      const { reading, variant } = found
      if (known.get(reading)?.variant !== variant) known.set(reading, found)
      const written = last.then(() => store(reading))
      last = written.catch(() => {})
      await written
    },
  }
}
