import { sql } from 'kysely'
import type { DatabaseNote } from '../../core/define/ports.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { utcMinutes } from '../../core/time/time.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import { wall } from '../schema/expressions.ts'
import { refuseElsewhere } from './moved.ts'

/** A database without the work that this machine's note records. */
export interface Restored {
  note: DatabaseNote
  /** The time of the last work on the account in this database; undefined if there was none. */
  knownUntil: string | undefined
}

type Noting = Pick<Warehouse, 'db' | 'notes'>
type Refusing = Pick<Warehouse, 'db' | 'notes' | 'elsewhere'>

/**
 * Returns the note that the database contradicts, if it was restored from a backup or replaced since this
 * machine last worked with it. It compares random marks instead of a counter, because a restored database
 * that is used elsewhere also increases its counter.
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

/** The error code of a restored database. It blocks the account's jobs as a separate cause. */
export const DATABASE_RESTORED = 'database_restored'

/**
 * Throws if the database was restored, or if another database has the account, so that nothing writes to this
 * database or reports from it unattended.
 */
export async function refuseRestored(warehouse: Refusing, account: string): Promise<void> {
  await refuseElsewhere(warehouse, account)
  const restored = await findRestored(warehouse, account)
  if (restored === undefined) return
  const { note, knownUntil } = restored
  throw new ConfigurationError(DATABASE_RESTORED, {
    tried: `Working on account ${account}`,
    expected: `the database that this machine worked with on ${utcMinutes(Date.parse(note.at))} UTC`,
    came:
      knownUntil === undefined
        ? 'the database has no record of this account, so it was restored or replaced'
        : 'the database was restored or replaced (its newest record is of ' +
          `${utcMinutes(Date.parse(knownUntil))} UTC)`,
    todo: 'run callsheet restored --dry-run to see what is lost, then callsheet restored to resume',
  })
}

/** Writes a random mark to the database, and then the same to this machine's notes. */
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

/** How many marks are kept. A machine whose last mark is no longer kept finds the database restored. */
const MOST_MARKS = 3_000
