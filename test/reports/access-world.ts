import type { Warehouse } from '../../src/warehouse/connect.ts'
import * as fixture from './fixture.ts'
import { endRows, type Inserted, insertRow } from './number-world.ts'

/** People, numbers and boards, small enough to count in plain code. All was read on November 20. */
export const PRICES = { DE: { Toll: 2.5 } }
const ASOF = Date.parse('2026-11-20T03:00:00Z')
const DAY_MS = 86_400_000
const daysAgo = (days: number): string => new Date(ASOF - days * DAY_MS).toISOString()

interface Person {
  id: string
  name: string
  status: 'active' | 'inactive' | 'pending'
  type: number | null
  lastLogin: string | null
  deleted?: true
}

const PEOPLE: readonly Person[] = [
  { id: 'ann', name: 'Ann', status: 'active', type: 2, lastLogin: daysAgo(1) },
  { id: 'u89', name: 'Away 89', status: 'active', type: 2, lastLogin: daysAgo(89.9) },
  { id: 'u90', name: 'Away 90', status: 'active', type: 2, lastLogin: daysAgo(90) },
  { id: 'u400', name: 'Away 400', status: 'active', type: 1, lastLogin: daysAgo(400) },
  { id: 'free', name: 'Without anything', status: 'inactive', type: 1, lastLogin: daysAgo(200) },
  { id: 'off', name: 'Off', status: 'inactive', type: 2, lastLogin: daysAgo(2) },
  { id: 'odd', name: 'Odd type', status: 'inactive', type: 99, lastLogin: null },
  { id: 'typeless', name: 'No type', status: 'inactive', type: null, lastLogin: daysAgo(300) },
  {
    id: 'gone',
    name: 'Gone Person',
    status: 'active',
    type: 2,
    lastLogin: daysAgo(3),
    deleted: true,
  },
  { id: 'gone2', name: 'Gone, bare', status: 'active', type: 2, lastLogin: null, deleted: true },
  { id: 'u-never', name: 'Never', status: 'active', type: 2, lastLogin: null },
  { id: 'pending:new@example.com', name: '', status: 'pending', type: 2, lastLogin: null },
]

/** Number, its holders, and its type, which alone decides the price. */
const NUMBERS: readonly [string, readonly string[], string][] = [
  ['n1', ['u90', 'off'], 'Toll'],
  ['n2', ['off'], 'Toll'],
  ['n3', ['u400'], 'TollFree'],
  ['n4', ['gone'], 'Toll'],
  ['n5', ['ann'], 'Toll'],
  ['n6', ['stranger'], 'Toll'],
  ['n7', ['typeless'], 'Toll'],
  ['n8', [], 'Toll'],
]

interface Board {
  id: string
  name: string
  owner: string | null
  scope: number
  role: number | null
  trashed?: true
  outsiders?: readonly string[]
}

const BOARDS: readonly Board[] = [
  { id: 'w1', name: 'Open to read', owner: 'ann', scope: 2, role: 4, outsiders: ['Alma'] },
  { id: 'w2', name: 'Open for editing', owner: 'gone', scope: 2, role: 2 },
  { id: 'w3', name: 'Shared', owner: null, scope: 0, role: null, outsiders: ['Bo', 'Alma'] },
  { id: 'w4', name: 'Trash', owner: 'gone2', scope: 2, role: 2, trashed: true, outsiders: ['Bo'] },
  { id: 'w5', name: 'Inside', owner: 'u400', scope: 1, role: 2 },
  { id: 'w6', name: 'Inside too', owner: 'ann', scope: 3, role: 2 },
]

type Licenses = Readonly<Record<number, number>>

/** What people who left or are away still have, in plain code. */
export function expectedPeople(licenses: Licenses) {
  return PEOPLE.flatMap((person) => {
    const { id, type } = person
    const reason = reasonOf(person)
    if (reason === undefined) return []
    const numbers = NUMBERS.filter(([, holders]) => holders.includes(id))
    const boards = BOARDS.filter(({ owner, trashed }) => owner === id && trashed !== true)
    const licensed = type !== null && person.deleted !== true && licenses[type] !== 0
    if (numbers.length + boards.length === 0 && !licensed) return []
    const prices = [
      ...(Object.keys(licenses).length === 0 ? [] : numbers.flatMap((one) => priceOf(one) ?? [])),
      ...(licensed && licenses[type] !== undefined ? [licenses[type]] : []),
    ]
    const cost = prices.length === 0 ? null : prices.reduce((sum, price) => sum + price, 0)
    const open = boards.filter(({ scope }) => scope === 2).length
    const shown = licensed ? String(type) : null
    return [{ id, reason, cost, type: shown, numbers: numbers.length, boards: boards.length, open }]
  })
}

export function expectedTotals(licenses: Licenses) {
  const people = expectedPeople(licenses)
  const held = NUMBERS.filter(([, holders]) =>
    holders.some((id) => people.some((one) => one.id === id)),
  )
  const costs = [
    ...held.map((one) => priceOf(one) ?? 0),
    ...people.map(({ type }) => (type === null ? 0 : (licenses[Number(type)] ?? 0))),
  ]
  return {
    people: people.length,
    numbers: held.length,
    licenses: people.filter(({ type }) => type !== null).length,
    boards: people.reduce((sum, { boards }) => sum + boards, 0),
    cost: costs.reduce((sum, cost) => sum + cost, 0),
  }
}

function reasonOf({ status, lastLogin, deleted }: Person): string | undefined {
  if (deleted === true) return 'deleted from the account'
  if (status === 'inactive') return 'deactivated'
  if (status === 'pending' || lastLogin === null) return undefined
  return ASOF - Date.parse(lastLogin) >= 90 * DAY_MS ? 'no login for 90 days' : undefined
}

const priceOf = ([, , type]: (typeof NUMBERS)[number]): number | undefined =>
  type === 'Toll' ? 2.5 : undefined

export async function plantAccess(warehouse: Warehouse): Promise<void> {
  const run = (one: Omit<fixture.RunToInsert, 'account'>) =>
    fixture.insertRun(warehouse, { account: 'hand', ...one })
  const at = '2026-11-20T02:50:00Z'
  const finishedAt = '2026-11-20T03:00:00Z'
  await run({ ...fixture.usersRun('hand', '2026-11-01T03:00:00Z') })
  const users = await run({ ...fixture.usersRun('hand', finishedAt) })
  const numbers = await run({ ...fixture.numbersRun('hand', finishedAt) })
  const slices = BOARDS.map(({ id }) => ({
    stream: 'whiteboard_collaborators',
    slice: `whiteboard=${id}`,
  }))
  const listed = { stream: 'whiteboards', slice: '2026-01-01..2026-12-01' }
  const boards = await run({ job: 'whiteboards', finishedAt, slices: [listed, ...slices] })
  await plantPeople(warehouse, { at, run: users })
  await plantNumbers(warehouse, { at, run: numbers })
  await plantBoards(warehouse, { at, run: boards })
  await plantSessions(warehouse, at)
}

async function plantPeople(warehouse: Warehouse, seen: Inserted): Promise<void> {
  for (const { id, name, status, type, lastLogin, deleted } of PEOPLE) {
    const row = { id, display_name: name, status, type, last_login_time: lastLogin }
    await insertRow(warehouse, ['users', row], seen)
    if (deleted === true) await endRows(warehouse, ['users', 'id', id], seen)
  }
}

async function plantNumbers(warehouse: Warehouse, seen: Inserted): Promise<void> {
  for (const [id, holders, type] of NUMBERS) {
    const row = {
      id,
      number: `+49${id}`,
      status: 'Normal',
      location_country: 'DE',
      number_type: type,
    }
    await insertRow(warehouse, ['phone_numbers', row], seen)
    for (const holder of holders) {
      const held = { phone_number_id: id, assigned_to_type: 'User', assigned_to_id: holder }
      const rest = { source_channel: '', ordinal: 0, assigned_to_name: holder }
      await insertRow(warehouse, ['phone_number_assignments', { ...held, ...rest }], seen)
    }
  }
}

async function plantBoards(warehouse: Warehouse, seen: Inserted): Promise<void> {
  for (const { id, name, owner, scope, role, trashed, outsiders = [] } of BOARDS) {
    const board = { whiteboard_id: id, whiteboard_name: name, share_scope: scope, share_role: role }
    const row = { ...board, trashed: trashed ?? false, created_date: '2026-02-01T00:00:00Z' }
    await insertRow(warehouse, ['whiteboards', row], seen)
    const person = PEOPLE.find((one) => one.id === owner)
    const all = [
      ...(person === undefined
        ? []
        : [
            {
              collaborator_id: 'o',
              collaborator_name: person.name,
              collaborator_type: 0,
              role: 0,
              user_id: owner,
            },
          ]),
      ...outsiders.map((who) => ({
        collaborator_id: who,
        collaborator_name: who,
        collaborator_type: 1,
        role: 4,
      })),
    ]
    for (const one of all)
      await insertRow(warehouse, ['whiteboard_collaborators', { whiteboard_id: id, ...one }], seen)
  }
}

/** Cleo and Alma took part within the last 90 days, Dario before them. */
async function plantSessions(warehouse: Warehouse, at: string): Promise<void> {
  const run = await fixture.insertRun(warehouse, {
    account: 'hand',
    job: 'whiteboard-archives',
    finishedAt: '2026-11-20T03:00:00Z',
    slices: [
      { stream: 'whiteboard_sessions', slice: '2026-01-01..2026-12-01' },
      { stream: 'whiteboard_activities', slice: 'session=s1' },
    ],
  })
  const put = (stream: string, row: Record<string, unknown>) =>
    insertRow(warehouse, [stream, row], { at, run })
  const session = (id: string, board: string, start: string) =>
    put('whiteboard_sessions', {
      id,
      whiteboard_id: board,
      whiteboard_name: board,
      start_time: start,
    })
  const stay = (id: string, name: string, joined: string, email = '') => {
    const person = { user_id: email, user_name: name, email }
    const when = { join_whiteboard_time: joined, joined_at: joined, ordinal: 0 }
    return put('whiteboard_participants', { session_id: id, ...person, ...when })
  }
  await session('s1', 'w1', '2026-11-10T10:00:00Z')
  await session('s2', 'w3', '2026-09-01T09:00:00Z')
  await session('s3', 'w1', '2026-08-01T09:00:00Z')
  await stay('s1', 'Ann', '2026-11-10T10:00:00Z', 'ann@example.com')
  await stay('s1', 'Cleo', '2026-11-10T10:01:00Z')
  await stay('s2', 'Alma', '2026-09-01T09:00:00Z')
  await stay('s3', 'Dario', '2026-08-01T09:00:00Z')
  for (const [id, minute] of [
    ['a1', 2],
    ['a2', 5],
  ] as const)
    await put('whiteboard_activities', {
      session_id: 's1',
      id,
      create_time: `2026-11-10T10:0${minute}:00Z`,
      collaborator_name: 'Cleo',
      collaborator_id: 'c',
      email: '',
    })
}

/** Orders people by their ID. */
export function byId(a: { id: unknown }, b: { id: unknown }): number {
  return String(a.id).localeCompare(String(b.id))
}
