import type { ReportContext } from '../../src/core/define/report.ts'
import { phoneNumbers } from '../../src/resources/phone-numbers.ts'

/** When all numbers had first been read, as far as the ledger goes; what was before nobody knows. */
export async function firstReadMs({
  db,
  account,
  asOfMs,
}: ReportContext<unknown, never>): Promise<number> {
  const { at } = await db
    .selectFrom('callsheet.slices')
    .select(({ fn }) => fn.min<string | null>('finished_at').as('at'))
    .where('account', '=', account)
    .where('stream', '=', phoneNumbers.name)
    .where('state', '=', 'complete')
    .executeTakeFirstOrThrow()
  return at === null ? asOfMs : Math.min(asOfMs, Date.parse(at))
}
