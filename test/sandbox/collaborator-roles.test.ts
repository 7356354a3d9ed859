import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../sandbox/server/server.ts'
import type { Caller } from './caller.ts'
import { BOARD, equalsTruth, INVALID, type Person, strangerTo, withBoard } from './people-stage.ts'
import { boardWith, coded } from './with-caller.ts'

describe('a board’s owner', () => {
  it('becomes a co-owner when another owner is added, and may then leave', () =>
    withBoard(async ({ caller, sandbox, path, people }) => {
      const before = await people()
      const [owner] = before
      const heir = await strangerTo(caller, before)
      const collaborators = [{ email: heir.email, role: 0 }]
      expect((await caller.send('POST', path, { collaborators })).body).toMatchObject([{ role: 0 }])
      const after = await people()
      expect(roleOf(after, owner)).toBe(1)
      expect(ownersOf(after)).toMatchObject([{ user_id: heir.id }])
      await equalsTruth(sandbox, path, after)
      const left = await caller.send('DELETE', `${path}/${owner?.collaborator_id ?? ''}`)
      expect(left.status).toBe(204)
      expect(roleOf(await people(), owner)).toBeUndefined()
    }))

  it('becomes a co-owner when a role change makes another collaborator the owner', () =>
    withBoard(async ({ caller, sandbox, board, path, people }) => {
      const before = await people()
      const [owner] = before
      const heir = before.find(({ collaborator_type: type, role }) => type === 0 && role > 1)
      const collaborators = [
        { collaborator_id: owner?.collaborator_id, role: 1 },
        { collaborator_id: heir?.collaborator_id, role: 0 },
      ]
      expect((await caller.send('PATCH', path, { collaborators })).status).toBe(204)
      const after = await people()
      expect(ownersOf(after)).toMatchObject([{ user_id: heir?.user_id }])
      expect(roleOf(after, owner)).toBe(1)
      expect(await boardsOf(caller, sandbox, heir?.user_id)).toContain(board)
      expect(await boardsOf(caller, sandbox, owner?.user_id)).not.toContain(board)
      // A change outside the API keeps the new owner.
      await boardWith(sandbox, BOARD, { collaborators: 1 })
      expect(ownersOf(await people())).toMatchObject([{ user_id: heir?.user_id }])
    }))

  it('stays the owner when another collaborator becomes a co-owner', () =>
    withBoard(async ({ caller, path, people }) => {
      const before = await people()
      const second = before.find(({ collaborator_type: type, role }) => type === 0 && role > 1)
      const collaborators = [{ collaborator_id: second?.collaborator_id, role: 1 }]
      expect((await caller.send('PATCH', path, { collaborators })).status).toBe(204)
      const after = await people()
      expect(roleOf(after, second)).toBe(1)
      expect(ownersOf(after)).toEqual(ownersOf(before))
    }))

  it('cannot leave or take another role, and a role change cannot name two owners', () =>
    withBoard(async ({ caller, path, people }) => {
      const before = await people()
      const [owner, ...others] = before.filter(({ collaborator_type: type }) => type === 0)
      const id = owner?.collaborator_id ?? ''
      const ask = async (...wishes: [Person | undefined, number][]) =>
        coded(
          await caller.send('PATCH', path, {
            collaborators: wishes.map(([person, role]) => ({
              collaborator_id: person?.collaborator_id,
              role,
            })),
          }),
        )
      expect(coded(await caller.send('DELETE', `${path}/${id}`))).toEqual(INVALID)
      for (const role of [1, 2, 4]) expect(await ask([owner, role])).toEqual(INVALID)
      expect(await ask([others[0], 0], [owner, 2])).toEqual(INVALID)
      expect(await ask([others[0], 0], [others[1], 0])).toEqual(INVALID)
      expect(await ask([others[0], 0], [owner, 0])).toEqual(INVALID)
      expect(await people()).toEqual(before)
      expect((await ask([owner, 0])).status).toBe(204)
      expect(await people()).toEqual(before)
    }))
})

describe('the roles of collaborators', () => {
  it.each([2, 3, 4])('can be changed to %i, which changes nothing else', (role) =>
    withBoard(async ({ caller, sandbox, path, people }) => {
      const before = await people()
      const [, , person] = before
      const collaborators = [{ collaborator_id: person?.collaborator_id, role }]
      expect((await caller.send('PATCH', path, { collaborators })).status).toBe(204)
      const after = await people()
      expect(after).toEqual(before.map((one) => (one === person ? { ...one, role } : one)))
      await equalsTruth(sandbox, path, after)
    }),
  )

  it('change either all together or not at all', () =>
    withBoard(async ({ caller, path, people }) => {
      const before = await people()
      const person = before.find(({ collaborator_type: type, role }) => type === 0 && role > 1)
      const good = { collaborator_id: person?.collaborator_id, role: person?.role === 4 ? 3 : 4 }
      const outsider = before.find(({ collaborator_type: type }) => type === 1)
      const channel = before.find(({ collaborator_type: type }) => type === 2)
      const ask = async (...collaborators: object[]) =>
        coded(await caller.send('PATCH', path, { collaborators }))
      expect(await ask()).toEqual(INVALID)
      expect(coded(await caller.send('PATCH', path))).toEqual(INVALID)
      expect(await ask(good, { collaborator_id: 'col-none', role: 4 })).toEqual(INVALID)
      expect(await ask(good, good)).toEqual(INVALID)
      expect(await ask({ ...good, role: 5 })).toEqual(INVALID)
      expect(await ask({ ...good, email: 'a@b.example' })).toEqual(INVALID)
      for (const role of [0, 1]) {
        const by = (one: Person | undefined) => ({ collaborator_id: one?.collaborator_id, role })
        expect(await ask(good, by(outsider))).toEqual({ status: 400, code: 1010 })
        expect(await ask(good, by(channel))).toEqual(INVALID)
      }
      expect(await people()).toEqual(before)
    }))
})

async function boardsOf(caller: Caller, sandbox: Sandbox, user: string | null | undefined) {
  const to = sandbox.clock.now()
  const ids = []
  for (let month = 0; month < 7; month++) {
    const query = {
      user_id: user ?? '',
      date_filter_type: 'created_date',
      from: new Date(to - (month + 1) * 28 * 86_400_000).toISOString(),
      to: new Date(to - month * 28 * 86_400_000).toISOString(),
    }
    ids.push(...(await caller.drain('/whiteboards', 'whiteboards', query)))
  }
  return (ids as { whiteboard_id: string }[]).map(({ whiteboard_id: id }) => id)
}

function ownersOf(people: readonly Person[]): Person[] {
  return people.filter(({ role }) => role === 0)
}

function roleOf(people: readonly Person[], person: Person | undefined): number | undefined {
  return people.find(({ collaborator_id: id }) => id === person?.collaborator_id)?.role
}
