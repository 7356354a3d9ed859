import { sql } from 'kysely'
import type { Stream } from '../../../src/core/define/stream.ts'
import { countDue, type DueScope } from '../../../src/sync/ledger/due-parents.ts'
import { sliceHistories } from '../../../src/sync/ledger/slice-histories.ts'
import { planFanOut } from '../../../src/sync/plan/plan-fan-out.ts'
import type { Transaction, Warehouse } from '../../../src/warehouse/connect.ts'
import { parentRows, parentsOf } from '../../../src/warehouse/load/parent-rows.ts'
import { dueOf } from '../../helpers/due-oracle.ts'
import { DAY_MS, NOW } from './histories.ts'

export const CHAIN = 9
const account = 'a'

export interface Parent {
  id: string
  /** The values of its columns. */
  columns?: Record<string, unknown>
  /** Whether the fan-out stream has a row of this parent. */
  held?: boolean
  state?: State | undefined
}

/** A list's state in the ledger. Instants are days ago; versions are the parent's own or another. */
export interface State {
  completeRunId?: number | undefined
  completeDaysAgo?: number
  received?: number
  pages?: number
  version?: 'own' | 'other'
  final?: boolean
  failures?: number
  refusals?: number
  absences?: number
  absentDaysAgo?: number
  absentVersion?: 'own' | 'other'
  /** Its rows are among those that the guard held back. */
  heldAbsence?: boolean
  unchecked?: boolean
  listed?: boolean
  error?: boolean
}

/** A run with a drop that no person has approved. */
export const HELD_RUN = 3

export function scopeOf(stream: Stream, full = false): DueScope {
  const { sync } = stream
  if (sync.kind !== 'fan-out') throw new Error(`${stream.name} has one list`)
  return { account, stream, sync, nowMs: NOW, chainRunId: CHAIN, full }
}

/** Fills the tables with these parents of a stream and no others. */
export async function given(
  { db }: Warehouse,
  stream: Stream,
  parents: readonly Parent[],
): Promise<void> {
  const scope = scopeOf(stream)
  const { parent } = scope.sync
  const tables = [parent.name, stream.name].map((name) => sql`${sql.id('svc', name)}`)
  await sql`truncate ${sql.join(tables)}, callsheet.slice_states, callsheet.deletion_guards`.execute(
    db,
  )
  await fill(db, 'callsheet.deletion_guards', [
    { account, stream: stream.name, run_id: HELD_RUN, missing: 1, owned: 1, at: instant(0) },
  ])
  const rows = parents.map(({ id, columns }) => ({ ...ROW, ...columns, [parent.key[0] ?? '']: id }))
  await fill(db, `svc.${parent.name}`, rows)
  const children = parents.filter(({ held }) => held === true)
  const keyed = Object.fromEntries(stream.key.map((name) => [name, 'x']))
  const held = children.map(({ id }) => ({ ...ROW, ...keyed, [stream.key[0] ?? '']: id }))
  await fill(db, `svc.${stream.name}`, held)
  const versions = await db.selectFrom(parentsOf(scope).as('p')).select(['id', 'version']).execute()
  const states = parents.flatMap(({ id, state }) => {
    const own = versions.find((one) => one.id === id)?.version ?? 'none'
    const beside = { account, stream: stream.name, slice: scope.sync.request([id]).slice }
    return state === undefined ? [] : [{ ...beside, ...stateRow(state, own) }]
  })
  await fill(db, 'callsheet.slice_states', states)
}

function stateRow(state: State, own: string): Record<string, unknown> {
  const at = (daysAgo: number | undefined) => (daysAgo === undefined ? null : instant(daysAgo))
  const version = (of: 'own' | 'other' | undefined) => (of === 'own' ? own : (of ?? null))
  const { completeRunId, completeDaysAgo, absentDaysAgo, absences = 0, error = false } = state
  const read = completeRunId !== undefined
  return {
    run_id: 1,
    state: 'complete',
    finished_at: instant(0),
    checked: true,
    quarantined: 0,
    outside: 0,
    error: error ? 'HTTP 403' : null,
    listed_at: state.listed === true ? instant(90) : null,
    complete_run_id: completeRunId ?? null,
    complete_at: read ? at(completeDaysAgo) : null,
    complete_pages: read ? (state.pages ?? 1) : null,
    complete_received: read ? (state.received ?? 1) : null,
    complete_version: read ? version(state.version) : null,
    complete_final: read ? (state.final ?? false) : null,
    failures: state.failures ?? 0,
    refusals: state.refusals ?? 0,
    absent_run_ids: Array.from(
      { length: absences },
      (_, nth) => (state.heldAbsence === true ? HELD_RUN : CHAIN) + nth,
    ),
    absent_at: absences === 0 ? null : at(absentDaysAgo ?? 1),
    absent_version: absences === 0 ? null : version(state.absentVersion ?? 'own'),
    unchecked_run_id: state.unchecked === true ? CHAIN - 1 : null,
    most_pages: state.pages ?? 1,
  }
}

/** The slices that a run would request, in order, and the counts of a plan. */
export async function found(warehouse: Warehouse, stream: Stream, full = false) {
  const scope = scopeOf(stream, full)
  const groups = await planFanOut(warehouse, scope, false)
  const slices: string[] = []
  for (const group of groups)
    for (const { request, history } of (await group.open()).slices)
      slices.push(
        `${group.expiring === true ? 'soon' : 'then'} ${request.slice} ${history?.pages ?? 0}`,
      )
  return { slices, counted: await countDue(warehouse, scope) }
}

/** The expected result, by a rule in TypeScript that decides about one parent at a time. */
export async function wanted(warehouse: Warehouse, stream: Stream, full = false) {
  const scope = scopeOf(stream, full)
  const { db } = warehouse
  const rows = await db
    .selectFrom(parentsOf(scope).as('p'))
    .select('p.id')
    .orderBy(sql`p.place nulls last`)
    .orderBy('p.key')
    .execute()
  const parents = await parentRows(
    warehouse,
    scope,
    rows.map(({ id }) => id),
  )
  const children = await sql<{ id: string }>`select ${sql.id(stream.key[0] ?? '')} as id
    from ${sql.id('svc', stream.name)} where _deleted_at is null`.execute(db)
  const ids = new Set(children.rows.map(({ id }) => id))
  const ordered = rows.flatMap(({ id }) => parents.filter(({ key }) => key[0] === id))
  const held = ordered.map((one) => ({ ...one, held: ids.has(one.key[0] ?? '') }))
  const histories = await sliceHistories(warehouse, { ...scope, stream: stream.name })
  const due = dueOf(scope.sync, held, { ...scope, histories })
  const known = due.filter(({ history }) => history?.completeAtMs !== undefined)
  const pages = known.reduce((sum, { history }) => sum + Math.max(1, history?.pages ?? 1), 0)
  const slices = due.map(
    ({ name, history, presses }) => `${presses ? 'soon' : 'then'} ${name} ${history?.pages ?? 0}`,
  )
  return { slices, counted: { due: due.length, known: known.length, pages } }
}

async function fill(db: Transaction, table: string, rows: readonly object[]): Promise<void> {
  const into = sql.table(table)
  await sql`insert into ${into} select (jsonb_populate_record(null::${into}, r)).*
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) r`.execute(db)
}

const instant = (daysAgo: number): string => new Date(NOW - daysAgo * DAY_MS).toISOString()

const ROW = {
  account,
  _raw: {},
  _hash: String.raw`\x00`,
  _salt: `\\x${'00'.repeat(16)}`,
  _first_seen_at: instant(0),
  _changed_at: instant(0),
  _run_id: 1,
}
