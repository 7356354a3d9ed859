import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { ConfigurationError } from '../../core/errors.ts'
import { lockText } from '../../warehouse/advisory-lock.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { refuseElsewhere, refuseMoved } from '../../warehouse/ledger/moved.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import type { FilesAsF } from './file-rows-sql.ts'

/** A legal hold: it stops the removal of stored files of a board, of a session, or of the whole account. */
export interface Hold {
  name: string
  reason: string
  whiteboardId: string | undefined
  sessionId: string | undefined
  begins: string
  /** Undefined if the hold applies until it is released. */
  ends: string | undefined
  placedBy: string
  releasedAt: string | undefined
  releasedBy: string | undefined
  active: boolean
  /** The number of stored files that the hold covers. */
  files: number
  /** The bytes of these files; a shared content counts once for each file. */
  bytes: number
}

export interface NewHold {
  account: string
  name: string
  reason: string
  whiteboardId?: string | undefined
  sessionId?: string | undefined
  /** The instant from which the hold no longer applies. */
  endsAtMs?: number | undefined
  placedBy: string
  /** Called in the transaction that places the hold. */
  onDecided?: OnDecided | undefined
}

export type OnDecided = (tx: Transaction, holdId: number) => Promise<void>

/**
 * Places a hold. From its commit on, no prune records a covered file as removed. `tooLate` counts covered
 * files that are recorded as removed already but may still have bytes. The hold keeps these bytes, unless a
 * prune is just removing them.
 */
export async function placeHold(warehouse: Warehouse, hold: NewHold): Promise<{ tooLate: number }> {
  const { account, name, reason, whiteboardId = null, sessionId = null, endsAtMs, placedBy } = hold
  await refuseElsewhere(warehouse, account)
  const endsAt = endsAtMs === undefined ? null : new Date(endsAtMs).toISOString()
  return await warehouse.transaction(async (tx) => {
    await lockHolds(tx, account)
    const of = { whiteboard_id: whiteboardId, session_id: sessionId, placed_by: placedBy }
    const placed = await tx
      .insertInto('callsheet.holds')
      .values({ account, name, reason, ...of, begins_at: now, ends_at: endsAt })
      .onConflict((conflict) => conflict.columns(['account', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (placed === undefined) throw nameTaken(name)
    await hold.onDecided?.(tx, placed.id)
    const { files } = await tx
      .selectFrom('callsheet.files as f')
      .leftJoin('svc.whiteboard_sessions as s', (join) =>
        join.onRef('s.account', '=', 'f.account').onRef('s.id', '=', 'f.parent'),
      )
      .innerJoin('callsheet.holds as h', (join) =>
        join.onRef('h.account', '=', 'f.account').on('h.name', '=', name).on(covers()),
      )
      .select(({ fn }) => fn.countAll<number>().as('files'))
      .where('f.account', '=', account)
      .where('f.state', '=', 'removed')
      .where('f.bytes_gone_at', 'is', null)
      .executeTakeFirstOrThrow()
    return { tooLate: files }
  })
}

interface Release extends Pick<NewHold, 'account' | 'name' | 'onDecided'> {
  releasedBy: string
}

/** Ends a hold now. Throws if no unreleased hold has this name. */
export async function releaseHold(
  warehouse: Warehouse,
  { account, name, releasedBy, onDecided }: Release,
): Promise<void> {
  const released = await warehouse.transaction(async (tx) => {
    const hold = await tx
      .updateTable('callsheet.holds')
      .set({ released_at: now, released_by: releasedBy })
      .where('account', '=', account)
      .where('name', '=', name)
      .where('released_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (hold !== undefined) await onDecided?.(tx, hold.id)
    return hold
  })
  if (released !== undefined) return
  throw new ConfigurationError('unknown_hold', {
    tried: `Releasing the hold ${name} of account ${account}`,
    came: 'no active hold has this name',
    todo: 'list the holds: callsheet archive hold list',
  })
}

/** All holds: the active ones, then the others, oldest first in each group. */
export async function readHolds(warehouse: Warehouse, account: string): Promise<Hold[]> {
  const rows = await warehouse.db
    .selectFrom('callsheet.holds as h')
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('callsheet.files as f')
        .leftJoin('svc.whiteboard_sessions as s', (join) =>
          join.onRef('s.account', '=', 'f.account').onRef('s.id', '=', 'f.parent'),
        )
        .select(({ cast, fn, lit }) => [
          fn.countAll<number>().as('files'),
          cast<number>(fn.coalesce(fn.sum('f.size'), lit(0)), 'float8').as('bytes'),
        ])
        .whereRef('f.account', '=', 'h.account')
        .where('f.state', '=', 'stored')
        .where(covers())
        .as('covered'),
    )
    .select(['h.name', 'h.reason', 'h.begins_at as begins', 'h.placed_by as placedBy'])
    .select(['h.whiteboard_id as whiteboard', 'h.session_id as session', 'h.ends_at as ends'])
    .select(['h.released_at as released', 'h.released_by as by', holdsNow().as('active')])
    .select(['covered.files', 'covered.bytes'])
    .where('h.account', '=', account)
    .orderBy('active', 'desc')
    .orderBy('h.id')
    .execute()
  return rows.map(({ whiteboard, session, ends, released, by, ...hold }) => ({
    ...hold,
    whiteboardId: whiteboard ?? undefined,
    sessionId: session ?? undefined,
    ends: ends ?? undefined,
    releasedAt: released ?? undefined,
    releasedBy: by ?? undefined,
  }))
}

/**
 * Keeps other transactions from placing a hold until this one ends, so that a prune's decisions take every
 * hold into account.
 */
export async function lockHolds(tx: Transaction, account: string): Promise<void> {
  await lockText(tx, account, { space: HOLD_LOCK })
  await refuseMoved(tx, account)
}

/**
 * Whether the hold `h` covers the file `f`. `s` is the session of an activity's file. While its board is
 * unknown, an activity's file counts as a file of every board.
 */
export function covers(): RawBuilder<boolean> {
  return sql`(h.whiteboard_id is null or (f.kind = 'activity'
      and coalesce(s.whiteboard_id, h.whiteboard_id) = h.whiteboard_id))
    and (h.session_id is null or f.parent = h.session_id)`
}

/** The name of the oldest active hold that covers the file `f`; `s` is its session, as in `covers`. */
export function oldestHold() {
  return expressionBuilder<FilesAsF, 'f'>()
    .selectFrom('callsheet.holds as h')
    .select('h.name')
    .whereRef('h.account', '=', 'f.account')
    .where(holdsNow())
    .where(covers())
    .orderBy('h.id')
    .limit(1)
}

export function holdsNow(): RawBuilder<boolean> {
  return sql`(h.released_at is null and h.begins_at <= callsheet.clock()
    and (h.ends_at is null or h.ends_at > callsheet.clock()))`
}

function nameTaken(name: string): ConfigurationError {
  return new ConfigurationError('hold_exists', {
    tried: `Placing the hold ${name}`,
    came: 'the account has, or had, a hold of this name',
    todo: 'choose another name; list the used ones: callsheet archive hold list',
  })
}

/** The number space of the locks on holds; no other lock of Callsheet uses it. */
const HOLD_LOCK = 2_026_000_010

/** The account, and the files that do not count because they are being removed too. */
export interface Beside {
  account: string
  /** A condition on the file `o`. */
  but?: Expression<SqlBool>
}

/** Whether the content of `f` must stay: another stored file has it, or a hold covers a file with it. */
export function contentStays(beside: Beside): Expression<SqlBool> {
  const { eb, or } = expressionBuilder<FilesAsF, 'f'>()
  return or([storedBeside(beside), eb(holdOnContent(beside), 'is not', null)])
}

/** Whether a stored file, except those that `but` excludes, has the content of `f`. */
export function storedBeside(beside: Beside): Expression<SqlBool> {
  const { exists, selectFrom } = expressionBuilder<FilesAsF, 'f'>()
  const stored = selectFrom('callsheet.files as o')
    .where(sameContent(beside))
    .where('o.state', '=', 'stored')
  return exists(stored)
}

/**
 * The oldest hold that covers a file with the content of `f`, or null. That file may be recorded as removed:
 * its bytes are still there if a prune was interrupted before the hold was placed, or a bucket locks them.
 */
export function holdOnContent(beside: Beside) {
  return expressionBuilder<FilesAsF, 'f'>()
    .selectFrom('callsheet.holds as h')
    .innerJoin('callsheet.files as o', 'o.account', 'h.account')
    .select('h.name')
    .where(sameContent(beside))
    .where(holdsNow())
    .where(({ exists, selectFrom }) => {
      const covered = selectFrom(sql`(select o.kind, o.parent)`.as('f'))
        .leftJoin('svc.whiteboard_sessions as s', (join) =>
          join.onRef('s.account', '=', 'o.account').onRef('s.id', '=', 'o.parent'),
        )
        .where(covers())
      return exists(covered)
    })
    .orderBy('h.id')
    .limit(1)
}

function sameContent({ account, but = sql`false` }: Beside): Expression<SqlBool> {
  return sql`o.account = ${account} and o.sha256 = f.sha256 and not (${but})`
}
