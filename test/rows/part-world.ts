import { sql } from 'kysely'
import { expect } from 'vitest'
import { streams } from '../../src/account/catalog.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import type { Asked, Told } from '../cli/altering-proxy.ts'
import { keyOf, normalRow, writesEmptyAlike } from '../helpers/normal-row.ts'
import type { World } from '../helpers/world.ts'

export const DEPTS = ['Sales', 'Support', 'Legal']
export const SITE = 'site-Ams'
export const ROWS = { users: { dept: DEPTS }, phone_numbers: { 'site.site_id': [SITE] } }
/** The field by which a stream of the parts is tied to the record that decides. */
const TIED: Readonly<Record<string, string>> = {
  users: 'id',
  user_details: 'id',
  user_phone_numbers: 'user_id',
  phone_numbers: 'id',
  phone_number_assignments: 'phone_number_id',
  phone_number_details: 'id',
  phone_number_assignment_details: 'phone_number_id',
}
export const PARTED: readonly Stream[] = streams.filter(({ name }) => Object.hasOwn(TIED, name))

/** The departments into which users were moved, by ID; the service's answers have them. */
export type Moves = Map<string, string | null>

/** The word in every value that a record outside the part has, and no other record. */
export const PLANTED = 'planted'

interface Shaped {
  moves: Moves
  /** Adds unusable records outside the part to the list of active users. */
  broken?: boolean
}

/** Writes the moves into lists and details of users, and planted values into records outside the part. */
export function shapeAnswers(shaped: Shaped) {
  const { moves } = shaped
  return ({ path, query }: Asked, { body }: Told): void => {
    if (typeof body !== 'object' || body === null) return
    const answer = body as { users?: Json[]; numbers?: Json[] }
    const one = /\/users\/[^/]+$/.test(path) ? [body as Json] : []
    for (const user of [...(answer.users ?? []), ...one]) {
      const { id } = user
      if (typeof id === 'string' && moves.has(id)) user.dept = moves.get(id)
      if (!DEPTS.includes(String(user.dept))) user.job_title = 'planted title'
    }
    for (const number of path.endsWith('/number_management/numbers') ? (answer.numbers ?? []) : [])
      if ((number.site as Json | null)?.site_id !== SITE) number.display_name = 'planted line'
    if (shaped.broken !== true || query.get('status') !== 'active') return
    answer.users?.push(
      { dept: 'Finance', display_name: 'planted without a key' },
      { id: 'broken', email: 'planted@b.example', type: 1, dept: { name: 'planted' } },
    )
  }
}

type Json = Record<string, unknown>

interface Part {
  moves?: Moves
  /** By default those of `ROWS`. */
  depts?: readonly (string | null)[]
}

/** The keys of the users and numbers that the part has, and of those outside, by the sandbox's own data. */
async function decided({ sandbox }: World, { moves = new Map(), depts = DEPTS }: Part) {
  const kept = new Set<string>()
  const outside = new Set<string>()
  const place = (id: unknown, isKept: boolean): unknown => (isKept ? kept : outside).add(String(id))
  for await (const { id, dept } of sandbox.truth('users')) {
    const now = moves.has(String(id)) ? moves.get(String(id)) : dept
    place(id, depts.includes(now === '' ? null : ((now ?? null) as string | null)))
  }
  for await (const { id, site_id } of sandbox.truth('phone_numbers')) place(id, site_id === SITE)
  return { kept, outside }
}

/** Fails unless each table has exactly the rows of the part; returns the keys in it and outside. */
export async function expectPart(world: World, part: Part = {}) {
  const { warehouse, sandbox } = world
  const { kept, outside } = await decided(world, part)
  const alike = writesEmptyAlike(sandbox.readings)
  for (const stream of PARTED) {
    const tie = TIED[stream.name] as string
    const truth = new Map<string, string>()
    for await (const row of sandbox.truth(stream.name)) {
      if (!kept.has(String(row[tie]))) continue
      const moved = 'dept' in row && part.moves?.has(String(row.id)) === true
      const now = moved ? { ...row, dept: part.moves?.get(String(row.id)) } : row
      truth.set(keyOf(stream, now), normalRow(stream, now, alike))
    }
    const { rows } = await sql<Record<string, unknown>>`
      select ${sql.join(Object.keys(stream.columns).map((name) => sql.id(name)))}
      from ${sql.id('svc', stream.name)} where _deleted_at is null`.execute(warehouse.db)
    const stored = new Map(rows.map((row) => [keyOf(stream, row), normalRow(stream, row, alike)]))
    expect({ stream: stream.name, rows: stored }).toEqual({ stream: stream.name, rows: truth })
  }
  return { kept, outside }
}

/** How the versions of these users ended, oldest first. */
export async function endsOf({ warehouse }: World, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ end: string }>`select ended_as as "end"
    from report.history_users where id = any(${[...ids]}::text[]) and ended_as is not null
    order by valid_to, id`.execute(warehouse.db)
  return rows.map(({ end }) => end)
}
