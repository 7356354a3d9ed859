import { sql } from 'kysely'
import { ConfigurationError } from '../../core/errors.ts'
import type { Transaction, Warehouse } from '../connect.ts'

/** The error code if an account's rows are not in the database that its setting names. */
export const ACCOUNT_ELSEWHERE = 'account_elsewhere'

/** Another database that has an account's rows. */
export interface Elsewhere {
  database: string
  /** True if the rows were moved away from this database, false if they were never in it. */
  moved: boolean
}

type Asking = Pick<Warehouse, 'db' | 'elsewhere'>

/**
 * Returns the database that has an account's rows, if it is not this one: the account was moved there, or
 * nothing has ever worked on it here and another configured database has it.
 */
export async function findElsewhere(
  { db, elsewhere }: Asking,
  account: string,
): Promise<Elsewhere | undefined> {
  const lease = await db
    .selectFrom('callsheet.leases')
    .select(['moved_to', sql<boolean>`marks <> '{}'`.as('worked')])
    .where('account', '=', account)
    .executeTakeFirst()
  const away = lease?.moved_to ?? null
  if (away !== null) return { database: away, moved: true }
  const database = lease?.worked === true ? undefined : await elsewhere?.(account)
  return database === undefined ? undefined : { database, moved: false }
}

/** Throws if the account's rows are in another database: a sync here would read everything again. */
export async function refuseElsewhere(warehouse: Asking, account: string): Promise<void> {
  const found = await findElsewhere(warehouse, account)
  if (found !== undefined) throw isElsewhere(account, found)
}

/** Throws if the account was moved to another database: rows that are written here would be lost. */
export async function refuseMoved(db: Transaction, account: string): Promise<void> {
  await refuseElsewhere({ db, elsewhere: undefined }, account)
}

export function isElsewhere(account: string, { database, moved }: Elsewhere): ConfigurationError {
  return new ConfigurationError(ACCOUNT_ELSEWHERE, {
    tried: `Working on account ${account}`,
    came: moved
      ? `the account was moved to the database ${database}`
      : `its rows are in the database ${database}, and its setting names another one`,
    todo: moved
      ? `set its database to ${database}, and restart callsheet serve`
      : `move them: callsheet move ${account} --from ${database}; or set its database to ${database} again`,
  })
}
