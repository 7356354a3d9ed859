import { expect } from 'vitest'
import type { Sandbox } from '../../sandbox/server/server.ts'
import type { Caller } from './caller.ts'
import { boardWith, rowsOf, withCaller } from './with-caller.ts'

/** A collaborator as the list shows them. */
export interface Person {
  collaborator_id: string
  collaborator_type: number
  role: number
  user_id?: string | null
  email?: string | null
  channel_id?: string | null
}

export interface PeopleStage {
  caller: Caller
  sandbox: Sandbox
  board: string
  path: string
  people(): Promise<Person[]>
}

/** Runs `work` with a board of thirty collaborators. The first is the owner, a user of the account. */
export async function withBoard(work: (stage: PeopleStage) => Promise<void>): Promise<void> {
  await withCaller({}, async (caller, sandbox) => {
    const board = await boardWith(sandbox, BOARD, { collaborators: 30, withheld: false })
    const path = `/whiteboards/${board}/collaborator`
    const people = async () => (await caller.get(path)).body as unknown as Person[]
    await work({ caller, sandbox, board, path, people })
  })
}

/** Returns an active user of the account who is not on the board. */
export async function strangerTo(
  caller: Caller,
  people: readonly Person[],
): Promise<{ id: string; email: string }> {
  const { body } = await caller.get('/users', { status: 'active', page_size: '300' })
  const there = new Set(people.map(({ user_id: id }) => id))
  const found = (body.users as { id: string; email: string }[]).find(({ id }) => !there.has(id))
  if (found === undefined) throw new Error('everybody is on the board')
  return found
}

/** Expects that the truth of the collaborators stream has the same rows for the board as its list. */
export async function equalsTruth(sandbox: Sandbox, path: string, people: readonly Person[]) {
  const board = path.split('/')[2]
  const rows = (await rowsOf(sandbox, 'whiteboard_collaborators')).filter(
    ({ whiteboard_id: id }) => id === board,
  )
  const told = people.map((one) => [one.collaborator_id, String(one.role), one.user_id ?? null])
  expect(rows.map((row) => [row.collaborator_id, row.role, row.user_id])).toEqual(told)
  expect(told.length).toBeGreaterThan(5)
}

export function idOf({ collaborator_id: id }: Person): string {
  return id
}

export const BOARD = 6
export const INVALID = { status: 400, code: 34002 }
