import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { streams } from '../../src/account/catalog.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { remakeAllStates } from '../helpers/slice-states.ts'
import type { World } from '../helpers/world.ts'
import { canary, MARIA } from './cast.ts'
import { tell } from './stage.ts'

/** Adds one row that names Maria to each ledger. */
export async function plantLedgers({ warehouse: { db } }: World): Promise<void> {
  const account = 'account-0'
  const lists = streams.map(({ name }) => name)
  const said = JSON.stringify({ id: MARIA.id, note: canary() })
  await sql`insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
    values (${account}, 'users', 'all', 1, callsheet.clock(), 'a reason', ${said})`.execute(db)
  await sql`insert into callsheet.drift
      (account, stream, kind, path, example, first_run_id, first_seen_at)
    values (${account}, 'users', 'unknown_field', 'mail', ${`${MARIA.email} ${canary()}`}, 1,
      callsheet.clock())`.execute(db)
  await sql`insert into callsheet.deletion_candidates (account, stream, key, run_id, since)
    select ${account}, s, array[${MARIA.id}, ${canary()}], 1, callsheet.clock()
    from unnest(${lists}::text[]) s`.execute(db)
  await sql`insert into callsheet.slices (account, stream, slice, run_id, state, requested_at, finished_at,
      pages, received, inserted, updated, unchanged, ignored, quarantined, deleted, error)
    values (${account}, 'user_details', ${`user=${MARIA.id}`}, 1, 'failed', callsheet.clock(),
      callsheet.clock(), 1, 1, 1, 0, 0, 0, 0, 0, ${`no user ${MARIA.id} ${canary()}`})`.execute(db)
  await remakeAllStates(db)
  await sql`insert into callsheet.calls
      (account, operation, asked_by, arguments, body, asked_at, state, reason)
    values (${account}, 'users.get', 'a test', ${said}::json, ${said}::json, callsheet.clock(), 'refused',
      ${`unknown: ${MARIA.email.toUpperCase()} ${canary()}`})`.execute(db)
}

/** Adds three notifications that name Maria: of a known event, of an unknown event, and not JSON. */
export async function plantNotifications(world: World): Promise<void> {
  const events = [
    JSON.stringify({
      event: 'visitor.checked_in',
      event_ts: 1_783_000_000_000,
      payload: { object: { invitation_id: canary(), host: { email: MARIA.email } } },
    }),
    JSON.stringify({
      event: 'never.heard_of',
      payload: { what: { who: MARIA.id, text: canary() } },
    }),
    `no JSON: ${MARIA.email} ${canary()}`,
  ]
  for (const body of events) await tell(world, body)
}

/** Adds the state of a visit that a notification naming her reported. The state itself does not name her. */
export async function plantStates({ warehouse: { db } }: World): Promise<void> {
  await sql`insert into callsheet.event_states
      (account, thing, key, state, at, rank, hash, notification_id)
    select account, 'visit', array[${canary()}], 'checked_in', callsheet.clock(), 1, hash, id
    from callsheet.notifications order by id limit 1`.execute(db)
}

export async function plantReport({ warehouse }: World, reports: string): Promise<void> {
  mkdirSync(reports, { recursive: true })
  const path = join(reports, 'account-0-whiteboard-audit-2026-07-01.csv')
  const said = `who,what\n${MARIA.email},${canary()}\n`
  writeFileSync(path, said)
  const params = JSON.stringify({ user: MARIA.id })
  const files = JSON.stringify([{ path, bytes: 1, sha256: sha256Hex(said) }])
  await sql`insert into callsheet.published_reports
      (account, report, params, as_of, run_ids, published_at, files)
    values ('account-0', 'whiteboard-audit', ${params}::jsonb, callsheet.clock(), '{1}', callsheet.clock(),
      ${files}::jsonb)`.execute(warehouse.db)
}
