import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { CastStage } from '../../helpers/cast-stage.ts'
import { ACCOUNT, ADDED, FILLED, openEvidenceStage } from '../../helpers/evidence-stage.ts'
import { statingRows } from '../../helpers/stated-rows.ts'
import { addCheckpoint, forge } from './forging.ts'
import { LAST } from './owner-entries.ts'
import { all, by, LEAF, sqlOf, type Tamper } from './tamper.ts'

/** A name and a consistent tamper, which only evidence kept elsewhere reveals. */
export type Anew = readonly [string, (stage: CastStage) => Promise<unknown>]

const RENAMED = `update svc.whiteboard_sessions set whiteboard_name = 'Plots',
  _raw = jsonb_set(_raw, '{whiteboard_name}', '"Plots"'),
  _bytes = convert_to(replace(convert_from(_bytes, 'UTF8'), 'Plans', 'Plots'), 'UTF8')`
const OF_LAST = `delete from svc.whiteboard_participants where session_id = 'latest'`

/** Sets the database and the store back to the second checkpoint. */
const cutEnd = all(
  sqlOf(
    `delete from callsheet.written where 'ledger/rows/' || batch in
      (select subject from callsheet.manifest where seq > ${FILLED + ADDED})`,
    `delete from callsheet.manifest where seq > ${FILLED + ADDED}`,
    `delete from callsheet.tree_tiles where start >= ${FILLED + ADDED}`,
    ...['checkpoints', 'marks'].map(
      (table) => `delete from callsheet.${table} where size > ${FILLED + ADDED}`,
    ),
    `delete from callsheet.runs where id = 3`,
    `delete from svc.whiteboard_sessions where id = 'latest'`,
    OF_LAST,
  ),
  // The statement of a time stamp adds one entry.
  (stage) => removeNotes(stage, `checkpoint-0000${FILLED + 2 * ADDED + 1}`),
)

/** Deletes the whole log, as if nothing had ever been entered. */
const forget = all(
  sqlOf(
    ...'manifest checkpoints tree_tiles marks'
      .split(' ')
      .map((table) => `delete from callsheet.${table}`),
    'update callsheet.files set entered = false',
  ),
  (stage) => removeNotes(stage, 'checkpoint-'),
)

/** Consistent tampers by the owner of database and store, without the key. */
export const SET_BACK: readonly Anew[] = [
  ['database and store reset to an older checkpoint', cutEnd],
].map(([name, does]) => [name, async (stage) => await (does as Tamper[1])(stage)] as Anew)

/** Consistent tampers by a key holder with all rights, who signs a new log. */
export const SIGNED_ANEW: readonly Anew[] = [
  ['everything signed again, with a changed record', all(forget, by('writer', RENAMED), append)],
  [
    'everything signed again, without a session and its files',
    all(
      forget,
      sqlOf(
        ...['whiteboard_sessions where id', 'whiteboard_participants where session_id'].map(
          (where) => `delete from svc.${where} = 's-1'`,
        ),
        `delete from svc.whiteboard_activities where session_id = 's-1'`,
        `delete from callsheet.files where parent = 's-1'`,
        'delete from callsheet.written',
        ...['sessions', 'participants', 'activities'].map(noted),
      ),
      removeStrays,
      append,
    ),
  ],
  ['the newest checkpoint signed again, over another record', all(cutEnd, addLatest, append)],
  ['everything signed again and backdated', all(forget, by('writer', RENAMED), appendIn2020)],
].map(([name, does]) => [name, async (stage) => await (does as Tamper[1])(stage)] as Anew)

/** Tampers by the holder of a replaced key; its successor signed the fourth checkpoint. */
export const FORMER: readonly Tamper[] = [
  [
    'a checkpoint added by the previous key',
    (stage) => addCheckpoint(stage, stage.key, { after: '/after-999' }),
    // The statements of two time stamps add two entries.
    [['key_exchanged', `the checkpoint over ${LAST + ADDED + 2} entries`]],
  ],
  [
    'an erasure entered with a voucher of the previous key',
    (stage) => forge(stage, stage.key),
    [['entry_unexplained', new RegExp(`^entry ${LAST + ADDED + 3} `)]],
  ],
]

async function append(stage: CastStage): Promise<void> {
  const { signed } = await stage.append()
  if (signed !== 1) throw new Error(`${signed} checkpoints are signed anew`)
}

/** Signs with a clock that was set back to 2020, as the owner of a machine can. */
async function appendIn2020(stage: CastStage): Promise<void> {
  const { databaseUrl: url, directory, pem, store } = stage
  const own = { url, drop: () => Promise.resolve() }
  const then = await openEvidenceStage(own, { directory, pem, store, frozenNow: IN_2020 })
  const { signed } = await then.append()
  await then.warehouse.close()
  if (signed !== 1) throw new Error('nothing is signed')
}

async function addLatest(stage: CastStage): Promise<void> {
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql`insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at,
        _changed_at, _run_id)
      values (${ACCOUNT}, 'latest', '{"id": "latest"}', '{"id": "latest"}', '', now(), now(), 4)`.execute(
      tx,
    )
  })
}

/** Records one transaction that wrote exactly the present rows of a table. */
function noted(table: string): string {
  return `insert into callsheet.written (account, place, batch, wrote, took, days, newest_run)
    select account, 'svc.whiteboard_${table}', 'one', array_agg(${LEAF}), '{}', '{}', 1
    from svc.whiteboard_${table} r group by account`
}

function removeNotes({ directory }: CastStage, prefix: string): void {
  const folder = join(directory, 'notes')
  for (const name of readdirSync(folder)) if (name.startsWith(prefix)) rmSync(join(folder, name))
}

async function removeStrays({ store, warehouse }: CastStage): Promise<void> {
  const rows = await warehouse.db.selectFrom('callsheet.files').select('sha256').execute()
  const known = new Set(rows.map(({ sha256 }) => sha256?.toString('hex')))
  for await (const { sha256 } of store.list()) if (!known.has(sha256)) await store.remove(sha256)
}

const IN_2020 = Date.parse('2020-06-01T00:00:00Z')
