import { sql } from 'kysely'
import type { DatabaseNote } from '../../core/define/ports.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { utcMinutes } from '../../core/time/time.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import { wall } from '../schema/expressions.ts'

/** A database that lacks what this machine knows of it. */
export interface Restored {
  note: DatabaseNote
  /** When anything was last done for the account that this database knows of; undefined where nothing was. */
  knownUntil: string | undefined
}

type Noting = Pick<Warehouse, 'db' | 'notes'>

/**
 * Undefined unless the database was restored from a backup, or replaced, since this machine last worked with
 * it. The mark tells it, and no count, since a restored database that was used elsewhere counts on.
 */
export async function findRestored(
  { db, notes }: Noting,
  account: string,
): Promise<Restored | undefined> {
  const note = notes?.read(account)
  if (note === undefined) return undefined
  if (await hasMark(db, account, note)) return undefined
  const lease = await db
    .selectFrom('callsheet.leases')
    .select('marked_at')
    .where('account', '=', account)
    .executeTakeFirst()
  return { note, knownUntil: lease?.marked_at ?? undefined }
}

/** The code of its refusal, which is a cause of its own. */
export const DATABASE_RESTORED = 'database_restored'

/** Nothing is written to a restored database, and nothing told from it, before a person has acted. */
export async function refuseRestored(warehouse: Noting, account: string): Promise<void> {
  const restored = await findRestored(warehouse, account)
  if (restored === undefined) return
  const { note, knownUntil } = restored
  throw new ConfigurationError(DATABASE_RESTORED, {
    tried: `Working on account ${account}`,
    expected: `the database that this machine worked with on ${utcMinutes(Date.parse(note.at))} UTC`,
    came:
      knownUntil === undefined
        ? 'a database in which nothing was done yet'
        : `an earlier or another one, which knows of nothing after ${utcMinutes(Date.parse(knownUntil))} UTC`,
    todo: 'see what is lost: callsheet restored --dry-run; then callsheet restored lets work go on',
  })
}

/** The holder of the lease leaves a mark in the database, and then the note of it outside. */
export async function leaveMark(
  { db, notes }: Noting,
  { account, epoch }: { account: string; epoch: number },
): Promise<void> {
  if (notes === undefined) return
  const mark = crypto.randomUUID()
  const { at } = await db
    .updateTable('callsheet.leases')
    .set({ marks: sql`(${mark}::uuid || marks)[:${MOST_MARKS}::int]`, marked_at: wall })
    .where('account', '=', account)
    .returning(({ ref }) => ref('marked_at').$notNull().as('at'))
    .executeTakeFirstOrThrow()
  notes.keep(account, { epoch, mark, at })
}

async function hasMark(db: Transaction, account: string, { mark }: DatabaseNote): Promise<boolean> {
  const row = await db
    .selectFrom('callsheet.leases')
    .select('epoch')
    .where('account', '=', account)
    .where(sql<boolean>`${mark}::uuid = any(marks)`)
    .executeTakeFirst()
  return row !== undefined
}

/** Of half a year of busy days. A machine that was away for longer is asked whether it was restored. */
const MOST_MARKS = 3_000
