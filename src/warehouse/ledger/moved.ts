import { sql } from 'kysely'
import { ConfigurationError } from '../../core/errors.ts'
import type { Transaction, Warehouse } from '../connect.ts'

/** The error code if an account's rows are not in the database that its setting names. */
export const ACCOUNT_ELSEWHERE = 'account_elsewhere'

type Asking = Pick<Warehouse, 'db' | 'elsewhere'>

/**
 * Throws if another database has the account's rows, because a sync here would read everything again: the
 * account was moved there, or nothing has ever worked on it here and another configured database has it.
 */
export async function refuseElsewhere({ db, elsewhere }: Asking, account: string): Promise<void> {
  const lease = await db
    .selectFrom('callsheet.leases')
    .select(['moved_to', sql<boolean>`marks <> '{}'`.as('worked')])
    .where('account', '=', account)
    .executeTakeFirst()
  const movedTo = lease?.moved_to ?? null
  if (movedTo !== null) throw isMoved(account, movedTo)
  const database = lease?.worked === true ? undefined : await elsewhere?.(account)
  if (database === undefined) return
  throw new ConfigurationError(ACCOUNT_ELSEWHERE, {
    tried: `Working on account ${account}`,
    came: `its rows are in the database ${database}, and its setting names another one`,
    todo: `move them: callsheet move ${account} --from ${database}; or set its database to ${database} again`,
  })
}

/** Throws if the account was moved to another database: rows that are written here would be lost. */
export async function refuseMoved(db: Transaction, account: string): Promise<void> {
  await refuseElsewhere({ db, elsewhere: undefined }, account)
}

export function isMoved(account: string, database: string): ConfigurationError {
  return new ConfigurationError(ACCOUNT_ELSEWHERE, {
    tried: `Working on account ${account}`,
    came: `the account was moved to the database ${database}`,
    todo: `set its database to ${database}, and restart callsheet serve`,
  })
}
