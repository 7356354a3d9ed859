import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import users from '../../jobs/users.ts'
import { VEILS } from '../core/persons/veils.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { erase, tell } from './stage.ts'

const account = 'account-0'
const SOFIA = { id: 'Usr/Sofia+90aQ==', email: 'sofia.ö.fiala@example.com' }
/** Another person's address, which begins like Sofia's. */
const OTHER = 'sofia.fialas@example.com'

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY, altered: true })
  await world.sync({ jobs: [users] })
  await addUser(world, { ...SOFIA, display_name: 'Sofia Fiala' })
  for (const [n, [name, veil]] of Object.entries(VEILS).entries()) await plant(n, name, veil)
})
afterAll(() => world.close())

type Veil = (text: string) => string
const all = (): string[] =>
  Object.values(VEILS).flatMap((veil) => [veil(SOFIA.id), veil(SOFIA.email)])

/** Plants her encoded ID and address in every table that an erasure searches, and another person's. */
async function plant(n: number, name: string, veil: Veil): Promise<void> {
  const { db } = world.warehouse
  const id = `of-${n}`
  const raw = {
    id,
    dept: `see ${veil(SOFIA.email)}`,
    job_title: veil(SOFIA.id),
    language: veil(OTHER),
  }
  for (const table of ['svc.users', 'history.users'])
    await sql`insert into ${sql.raw(table)} select u.* ${sql.raw(
      table === 'svc.users' ? '' : `, _changed_at, callsheet.clock(), 1, 'changed'`,
    )} from jsonb_populate_record(null::svc.users, ${JSON.stringify({
      account,
      ...raw,
      _raw: raw,
      _hash: '\\x00',
      _salt: '\\x00',
      _first_seen_at: '2026-07-01T00:00:00Z',
      _changed_at: '2026-07-01T00:00:00Z',
      _run_id: 1,
    })}::jsonb) u`.execute(db)
  const payload = JSON.stringify({ of: veil(SOFIA.id), and: veil(SOFIA.email) })
  await sql`insert into callsheet.quarantine (account, stream, slice, run_id, at, reason, payload)
    values (${account}, 'users', 'all', 1, callsheet.clock(), ${name}, ${payload})`.execute(db)
  await sql`insert into callsheet.drift (account, stream, kind, path, example, first_run_id,
      first_seen_at)
    values (${account}, 'users', 'unknown_field', ${`x.${n}`}, ${veil(SOFIA.email)}, 1,
      callsheet.clock())`.execute(db)
  await sql`insert into callsheet.calls (account, operation, asked_by, asked_at, state, arguments, body)
    values (${account}, 'x.y', 'test', callsheet.clock(), 'done', '{}'::json, ${payload}::json)`.execute(
    db,
  )
  await tell(world, { event: `made.${n}`, payload: { note: `${veil(SOFIA.email)}, ${n}` } })
  await tell(world, `no json: ${veil(SOFIA.email)} ${n}`)
  await plantReport(veil)
}

async function plantReport(veil: Veil): Promise<void> {
  const params = JSON.stringify({ user: veil(SOFIA.id) })
  await sql`insert into callsheet.published_reports
      (account, report, params, as_of, run_ids, published_at, files)
    values (${account}, 'whiteboard-audit', ${params}::jsonb, callsheet.clock(), '{1}',
      callsheet.clock(), '[]'::jsonb)`.execute(world.warehouse.db)
}

/** The tables and the texts that they contain, as `table: text`. */
async function found(texts: readonly string[]): Promise<string[]> {
  const { db } = world.warehouse
  const { rows: tables } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('callsheet', 'svc', 'history') and c.relkind in ('r', 'p')
      and not c.relispartition order by 1`.execute(db)
  const hits = new Set<string>()
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select row_to_json(t)::text as row from ${sql.table(name)} t`.execute(db)
    const said = rows.flatMap(({ row }) => textsIn(JSON.parse(row)))
    for (const text of texts)
      if (said.some((one) => one.includes(text))) hits.add(`${name}: ${text}`)
  }
  return [...hits]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    const bytes = value.startsWith('\\x') ? [Buffer.from(value.slice(2), 'hex').toString()] : []
    return [value, ...bytes]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)])
}

describe('a person named in every encoding', () => {
  it('is in every searched place before the erasure', async () => {
    const tables = new Set((await found(all())).map((hit) => hit.split(':')[0]))
    expect([...tables]).toEqual([
      'callsheet.calls',
      'callsheet.drift',
      'callsheet.notifications',
      'callsheet.published_reports',
      'callsheet.quarantine',
      'history.users',
      'svc.users',
    ])
  })

  it('is nowhere after the erasure, and another person’s address stays in each encoding', async () => {
    const [done] = await erase(world, { persons: [SOFIA.id] })
    expect(done?.outcome.leftBehind).toEqual({})
    expect(await found(all())).toEqual([])
    const others = await found(Object.values(VEILS).map((veil) => veil(OTHER)))
    const names = new Set(Object.values(VEILS).map((veil) => veil(OTHER)))
    expect(others.filter((hit) => hit.startsWith('svc.users')).length).toBe(names.size)
  })

  it('is restored by no sync or notification in any of these encodings', async () => {
    const veils = Object.values(VEILS)
    let told = 0
    world.ways.tell = (asked, { body }) => {
      const list = (body as { users?: Record<string, unknown>[] } | undefined)?.users
      if (!asked.path.endsWith('/users') || list === undefined) return
      for (const user of list) {
        const veil = veils[told++ % veils.length] as Veil
        Object.assign(user, { dept: `see ${veil(SOFIA.email)}`, job_title: veil(SOFIA.id) })
      }
      if (list.length > 0)
        list.push(
          ...veils.map((veil, n) => ({
            id: `new-${n}`,
            email: veil(SOFIA.email),
            status: 'active',
          })),
        )
    }
    const [run] = await world.sync({ jobs: [users], full: true })
    world.ways = {}
    expect(told).toBeGreaterThan(veils.length)
    expect(run?.tables.users?.updated).toBeGreaterThan(veils.length)
    for (const [n, veil] of veils.entries()) {
      await tell(world, { event: `again.${n}`, payload: { by: veil(SOFIA.id) } })
      await tell(world, `again, no json: ${veil(SOFIA.email)} ${n}`)
    }
    expect(await found(all())).toEqual([])
  })
})
