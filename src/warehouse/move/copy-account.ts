import { sql } from 'kysely'
import { CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { DatabaseClient, Transaction } from '../connect.ts'
import { copyTable } from '../copy-table.ts'
import { wall } from '../schema/expressions.ts'
import { type AccountTable, digestOf } from './account-tables.ts'

/** One end of a copy: a transaction and its connection. */
export interface CopyEnd {
  tx: Transaction
  client: DatabaseClient
}

export interface AccountCopy {
  account: string
  tables: readonly AccountTable[]
  source: CopyEnd
  target: CopyEnd
  signal: AbortSignal
}

/**
 * Copies all rows of an account, and compares their number and digest in both databases, table by table. The
 * copy becomes visible when the target's transaction commits. Returns the number of rows by table.
 */
export async function copyAccount(copy: AccountCopy): Promise<Map<string, number>> {
  const { account, tables, source, target, signal } = copy
  await sql`select set_config('callsheet.moved_account', ${account}, true)`.execute(source.tx)
  await claimTarget(copy)
  // Health may have stored alerts in the target, e.g. that the account is in another database.
  await target.tx.deleteFrom('callsheet.alerts').where('account', '=', account).execute()
  const counts = new Map<string, number>()
  for (const table of tables) {
    signal.throwIfAborted()
    await point('move:table')
    counts.set(table.name, await copyOne(copy, table))
  }
  await keepRetention(copy)
  return counts
}

async function copyOne(
  { account, source, target }: AccountCopy,
  table: AccountTable,
): Promise<number> {
  const { name, columns, sequence } = table
  // Triggers of the other tables have noted the copied rows as new; the source's notes replace this.
  if (name === 'callsheet.written')
    await target.tx.deleteFrom('callsheet.written').where('account', '=', account).execute()
  const list = columns.map((column) => `"${column}"`).join(', ')
  await copyTable(source.client, target.client, {
    out: `copy (select ${list} from ${name} where ${OWN}) to stdout`,
    into: `copy ${name} (${list}) from stdin`,
  })
  const [from, to] = await Promise.all([
    digestOf(source.tx, table, account),
    digestOf(target.tx, table, account),
  ])
  if (from.rows !== to.rows || from.digest !== to.digest) throw differs(account, name)
  if (sequence !== null && to.rows > 0) await passNumbers(target.tx, { account, name, sequence })
  return to.rows
}

/**
 * Locks the account's lease row in the target until the commit. Copies the source's marks, by which machines
 * recognize the work that they noted. The epoch becomes higher than that of any process in either database.
 */
async function claimTarget({ account, source, target }: AccountCopy): Promise<void> {
  const { epoch, marks, marked_at } = await source.tx
    .selectFrom('callsheet.leases')
    .select(['epoch', 'marked_at', sql<string[]>`marks::text[]`.as('marks')])
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  const own = { marks: sql`${marks}::uuid[]`, marked_at, holder: null, expires_at: wall }
  await target.tx
    .insertInto('callsheet.leases')
    .values({ account, epoch: epoch + 1, ...own })
    .onConflict((conflict) =>
      conflict.column('account').doUpdateSet(({ fn, ref, eb }) => ({
        ...own,
        epoch: eb(
          fn<number>('greatest', ['callsheet.leases.epoch', ref('excluded.epoch')]),
          '+',
          1,
        ),
        moved_to: null,
      })),
    )
    .execute()
}

/** Advances the target's ID sequence past the copied IDs, with a margin for IDs that others take now. */
async function passNumbers(
  tx: Transaction,
  { account, name, sequence }: { account: string; name: string; sequence: string },
): Promise<void> {
  await sql`
    select setval(${sequence}::regclass, newest + ${NUMBERS_APART}::int)
    from (select max(id) as newest from ${sql.table(name)} where account = ${account}) t
    where newest > (select last_value from ${sql.table(sequence)})`.execute(tx)
}

/** In the target, a ledger then counts as complete only from the later of the two databases' times on. */
async function keepRetention({ source, target }: AccountCopy): Promise<void> {
  const kept = await source.tx.selectFrom('callsheet.retention').selectAll().execute()
  for (const row of kept)
    await target.tx
      .insertInto('callsheet.retention')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('ledger').doUpdateSet({
          kept_from: sql`greatest(retention.kept_from, excluded.kept_from)`,
        }),
      )
      .execute()
}

function differs(account: string, table: string): CallsheetError {
  return new CallsheetError('move_differs', {
    tried: `Copying ${table} of account ${account}`,
    came: 'the rows differ between the two databases after the copy, so nothing was moved',
    todo: 'run callsheet doctor for both databases, then the same command again',
  })
}

const NUMBERS_APART = 100
/** A COPY statement takes no parameters, so the account is passed as a setting. */
const OWN = "account = current_setting('callsheet.moved_account')"
