import { type RawBuilder, sql } from 'kysely'
import { ConfigurationError } from '../../core/errors/errors.ts'
import type { Transaction, Warehouse } from '../connection/connect.ts'

/** What stops the removal of stored files: of a board, of a session, or of everything. */
export interface Hold {
  name: string
  reason: string
  whiteboardId: string | undefined
  sessionId: string | undefined
  begins: string
  /** Undefined: until it is released. */
  ends: string | undefined
  placedBy: string
  releasedAt: string | undefined
  releasedBy: string | undefined
  active: boolean
  /** Stored files that it covers, and their bytes; the same content counts for each file that has it. */
  files: number
  bytes: number
}

export interface NewHold {
  account: string
  name: string
  reason: string
  whiteboardId?: string | undefined
  sessionId?: string | undefined
  /** The first instant at which it no longer holds. */
  endsAtMs?: number | undefined
  placedBy: string
}

/**
 * Places a hold. From its commit on no prune takes up a file that it covers; answers how many were being
 * removed already, whose bytes it keeps as long as they are there.
 */
export async function placeHold(warehouse: Warehouse, hold: NewHold): Promise<{ tooLate: number }> {
  const { account, name, reason, whiteboardId = null, sessionId = null, endsAtMs, placedBy } = hold
  const endsAt = endsAtMs === undefined ? null : new Date(endsAtMs).toISOString()
  return await warehouse.transaction(async (tx) => {
    await lockHolds(tx, account)
    const { numAffectedRows = 0n } = await sql`
      insert into callsheet.holds
        (account, name, reason, whiteboard_id, session_id, begins_at, ends_at, placed_by)
      values (${account}, ${name}, ${reason}, ${whiteboardId}, ${sessionId}, callsheet.clock(),
        ${endsAt}, ${placedBy})
      on conflict (account, name) do nothing`.execute(tx)
    if (numAffectedRows === 0n) throw nameTaken(name)
    const { rows } = await sql<{ files: number }>`
      select count(*)::int as files from callsheet.files f
        left join svc.whiteboard_sessions s on s.account = f.account and s.id = f.parent
        join callsheet.holds h on h.account = f.account and h.name = ${name} and ${covers()}
      where f.account = ${account} and f.state = 'removed' and f.bytes_gone_at is null`.execute(tx)
    return { tooLate: rows[0]?.files ?? 0 }
  })
}

/** Ends a hold now. Throws where there is none of the name that still holds. */
export async function releaseHold(
  warehouse: Warehouse,
  { account, name, releasedBy }: { account: string; name: string; releasedBy: string },
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update callsheet.holds h set released_at = callsheet.clock(), released_by = ${releasedBy}
    where h.account = ${account} and h.name = ${name} and h.released_at is null`.execute(
    warehouse.db,
  )
  if (numAffectedRows > 0n) return
  throw new ConfigurationError('unknown_hold', {
    tried: `Releasing the hold ${name} of account ${account}`,
    expected: 'a hold that was not released before',
    came: 'there is none of this name',
    todo: 'see which there are: callsheet archive hold list',
  })
}

/** All holds there ever were, those that hold still first. */
export async function readHolds(warehouse: Warehouse, account: string): Promise<Hold[]> {
  const { rows } = await sql<Record<keyof Hold, unknown>>`
    select h.name, h.reason, h.whiteboard_id as "whiteboardId", h.session_id as "sessionId",
      h.begins_at as begins, h.ends_at as ends, h.placed_by as "placedBy",
      h.released_at as "releasedAt", h.released_by as "releasedBy", ${holdsNow()} as active,
      covered.files, covered.bytes
    from callsheet.holds h cross join lateral (
      select count(*)::int as files, coalesce(sum(f.size), 0)::float8 as bytes
      from callsheet.files f
        left join svc.whiteboard_sessions s on s.account = f.account and s.id = f.parent
      where f.account = h.account and f.state = 'stored' and ${covers()}) covered
    where h.account = ${account} order by active desc, h.id`.execute(warehouse.db)
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value ?? undefined])),
  ) as unknown as Hold[]
}

/**
 * Until the end of the transaction no hold is placed, and who places one waits: what a prune decides in it
 * is decided under all holds that there are.
 */
export async function lockHolds(tx: Transaction, account: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${account}, ${HOLD_LOCK}))`.execute(tx)
}

/**
 * The hold `h` covers the file `f`, whose session is `s` where it is one of a board. While the board is not
 * known, every board's hold covers it.
 */
export function covers(): RawBuilder<boolean> {
  return sql`(h.whiteboard_id is null or (f.kind = 'activity'
      and coalesce(s.whiteboard_id, h.whiteboard_id) = h.whiteboard_id))
    and (h.session_id is null or f.parent = h.session_id)`
}

export function holdsNow(): RawBuilder<boolean> {
  return sql`(h.released_at is null and h.begins_at <= callsheet.clock()
    and (h.ends_at is null or h.ends_at > callsheet.clock()))`
}

function nameTaken(name: string): ConfigurationError {
  return new ConfigurationError('hold_exists', {
    tried: `Placing the hold ${name}`,
    expected: 'a name that no hold of the account has had, so that each stays told apart',
    came: 'there is one of this name',
    todo: 'take another name; see which there are: callsheet archive hold list',
  })
}

/** Any number that no other lock of ours has. */
const HOLD_LOCK = 2_026_000_010
