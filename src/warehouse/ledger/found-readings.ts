import type { FoundReadings } from '../../core/define/ports.ts'
import type { Warehouse } from '../connect.ts'

/**
 * Opens the findings on how an account's service reads ambiguous documents. Lookups use memory. Another
 * process's findings are visible after the account is opened again.
 */
export async function openFoundReadings(
  { db }: Warehouse,
  account: string,
): Promise<FoundReadings> {
  const rows = await db
    .selectFrom('callsheet.found_readings')
    .select(['reading', 'variant'])
    .where('account', '=', account)
    .execute()
  const stored = new Map(rows.map(({ reading, variant }) => [reading, variant]))
  const known = new Map(stored)
  const store = async (reading: string): Promise<void> => {
    const variant = known.get(reading)
    if (variant === undefined || stored.get(reading) === variant) return
    await db
      .insertInto('callsheet.found_readings')
      .values({ account, reading, variant })
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'reading'])
          .doUpdateSet(({ ref }) => ({ variant: ref('excluded.variant') })),
      )
      .execute()
    stored.set(reading, variant)
  }
  // Stored in sequence, so that of two parallel findings the newest is stored last.
  let last: Promise<unknown> = Promise.resolve()
  return {
    get: (reading) => known.get(reading),
    async remember(reading, variant) {
      known.set(reading, variant)
      const written = last.then(() => store(reading))
      last = written.catch(() => {})
      await written
    },
  }
}
