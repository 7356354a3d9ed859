import { phoneNumbers } from '../../src/resources/phone-numbers.ts'
import type { NumberSource } from './source.ts'

/** When all numbers had first been read, as far as the ledger goes; what was before nobody knows. */
export async function firstReadMs({ db, account, asOfMs }: NumberSource): Promise<number> {
  const { at } = await db
    .selectFrom('callsheet.slices')
    .select(({ fn }) => fn.min<string | null>('finished_at').as('at'))
    .where('account', '=', account)
    .where('stream', '=', phoneNumbers.name)
    .where('state', '=', 'complete')
    .executeTakeFirstOrThrow()
  return at === null ? asOfMs : Math.min(asOfMs, Date.parse(at))
}
