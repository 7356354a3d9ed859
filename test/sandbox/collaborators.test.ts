import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../sandbox/server/server.ts'
import { equalsTruth, INVALID, idOf, type Person, strangerTo, withBoard } from './people-stage.ts'
import { coded, rowsOf } from './with-caller.ts'

describe('sharing a board', () => {
  it('adds users of the account, outsiders and channels, and returns no email address', () =>
    withBoard(async ({ caller, sandbox, path, people }) => {
      const before = await people()
      const user = await strangerTo(caller, before)
      const made = await caller.send('POST', path, {
        collaborators: [
          { email: user.email, channel_id: '', role: 2 },
          { email: 'Guest@elsewhere.example', role: 3 },
          { email: '', channel_id: 'ch-sales', role: 4 },
        ],
        invite_message: 'Have a look',
        skip_notifications: true,
      })
      expect(made.status).toBe(201)
      const answered = made.body as unknown as Person[]
      expect(answered).toMatchObject([
        { collaborator_type: 0, role: 2, user_id: user.id },
        { collaborator_type: 1, role: 3 },
        { collaborator_type: 2, role: 4, channel_id: 'ch-sales' },
      ])
      expect(answered.some((person) => 'email' in person)).toBe(false)
      const after = await people()
      expect(after.slice(0, before.length)).toEqual(before)
      expect(after.slice(before.length).map(withoutEmail)).toEqual(answered)
      expect(after[before.length]?.email).toBe(user.email)
      await equalsTruth(sandbox, path, after)
    }))

  it('changes the role of existing collaborators, and adds nobody twice', () =>
    withBoard(async ({ caller, path, people }) => {
      const collaborators = [
        { email: 'guest@elsewhere.example', role: 4 },
        { channel_id: 'ch-sales', role: 4 },
      ]
      await caller.send('POST', path, { collaborators })
      const before = await people()
      const again = collaborators.map((one) => ({ ...one, role: 2 }))
      const known = before.find(({ collaborator_type: type, role }) => type === 0 && role > 1)
      again.push({ email: (known?.email ?? '').toUpperCase(), role: 3 })
      expect((await caller.send('POST', path, { collaborators: again })).status).toBe(201)
      const after = await people()
      expect(after.map(idOf)).toEqual(before.map(idOf))
      expect(after.slice(-2).map(({ role }) => role)).toEqual([2, 2])
      expect(after.find((person) => idOf(person) === known?.collaborator_id)?.role).toBe(3)
    }))

  it('returns at most a hundred of the added collaborators', () =>
    withBoard(async ({ caller, path, people }) => {
      const before = (await people()).length
      for (const [count, answered] of [
        [100, 100],
        [101, 100],
      ] as const) {
        const collaborators = guests(count, `of-${count}`)
        const { body } = await caller.send('POST', path, { collaborators })
        expect((body as unknown as Person[]).length).toBe(answered)
      }
      expect((await people()).length).toBe(before + 201)
    }))

  it('can add collaborators beyond the thousand that the list shows', () =>
    withBoard(async ({ caller, path, people }) => {
      const { length } = await people()
      await caller.send('POST', path, { collaborators: guests(1_000 - length, 'a') })
      const thousand = await people()
      expect(thousand).toHaveLength(1_000)
      const { body } = await caller.send('POST', path, { collaborators: guests(1, 'last') })
      expect(await people()).toEqual(thousand)
      const [, second] = thousand
      await caller.send('DELETE', `${path}/${second?.collaborator_id ?? ''}`)
      expect((await people()).map(idOf).slice(-2)).toEqual([
        thousand.at(-1)?.collaborator_id,
        (body as unknown as Person[])[0]?.collaborator_id,
      ])
    }))

  it.each([
    { what: 'both an address and a channel', one: { email: 'a@b.example', channel_id: 'c' } },
    { what: 'neither an address nor a channel', one: {} },
    { what: 'an empty address and an empty channel', one: { email: '', channel_id: '' } },
    { what: 'an invalid address', one: { email: 'nobody' } },
    { what: 'no role', one: { email: 'a@b.example', role: undefined } },
    { what: 'a role above the last', one: { email: 'a@b.example', role: 5 } },
    { what: 'a negative role', one: { email: 'a@b.example', role: -1 } },
    { what: 'a fractional role', one: { email: 'a@b.example', role: 2.5 } },
    { what: 'a channel as owner', one: { channel_id: 'c', role: 0 } },
    { what: 'a channel as co-owner', one: { channel_id: 'c', role: 1 } },
    { what: 'an unknown field', one: { email: 'a@b.example', user_id: 'u' } },
  ])('is refused if a collaborator has $what', ({ one }) =>
    withBoard(async ({ caller, path, people }) => {
      const before = await people()
      const collaborators = [
        { email: 'first@b.example', role: 4 },
        { role: 4, ...one },
      ]
      expect(coded(await caller.send('POST', path, { collaborators }))).toEqual(INVALID)
      expect(await people()).toEqual(before)
    }),
  )

  it('is refused without collaborators, with a duplicate, and with an owner from outside', () =>
    withBoard(async ({ caller, path, people }) => {
      const before = await people()
      const ask = async (...collaborators: object[]) =>
        coded(await caller.send('POST', path, { collaborators }))
      const guest = { email: 'guest@elsewhere.example' }
      expect(await ask()).toEqual(INVALID)
      expect(coded(await caller.send('POST', path))).toEqual(INVALID)
      expect(await ask({ ...guest, role: 3 }, { ...guest, role: 4 })).toEqual(INVALID)
      for (const role of [0, 1])
        expect(await ask({ ...guest, role })).toEqual({ status: 400, code: 1010 })
      const { body } = await caller.get('/users', { status: 'pending', page_size: '1' })
      const [invited] = body.users as { email: string }[]
      expect(await ask({ email: invited?.email, role: 1 })).toEqual({ status: 400, code: 1010 })
      expect(await people()).toEqual(before)
    }))
})

describe('a removed collaborator', () => {
  it('disappears from the list, and gets the same ID when added again', () =>
    withBoard(async ({ caller, sandbox, path, people }) => {
      await caller.send('POST', path, { collaborators: guests(1, 'x') })
      const before = await people()
      const member = before.find(({ collaborator_type: type, role }) => type === 0 && role > 1)
      const guest = before.at(-1)
      for (const person of [member, guest]) {
        const one = `${path}/${person?.collaborator_id ?? ''}`
        expect((await caller.send('DELETE', one)).status).toBe(204)
        expect(coded(await caller.send('DELETE', one))).toEqual(INVALID)
      }
      const without = await people()
      expect(without).toEqual(before.filter((one) => one !== member && one !== guest))
      await equalsTruth(sandbox, path, without)
      const collaborators = [{ email: member?.email, role: member?.role }, ...guests(1, 'x')]
      await caller.send('POST', path, { collaborators })
      expect(new Set((await people()).map(idOf))).toEqual(new Set(before.map(idOf)))
    }))
})

describe('a change of a board’s collaborators', () => {
  it('does not change the board’s modification date', () =>
    withBoard(async ({ caller, sandbox, board, path, people }) => {
      const before = await dateOf(sandbox, board)
      const [, second] = await people()
      const one = { collaborator_id: second?.collaborator_id ?? '', role: 4 }
      sandbox.advance(60_000)
      await caller.send('POST', path, { collaborators: guests(2, 'x') })
      await caller.send('PATCH', path, { collaborators: [one] })
      await caller.send('DELETE', `${path}/${one.collaborator_id}`)
      expect(await people()).toHaveLength(31)
      expect(await dateOf(sandbox, board)).toBe(before)
    }))
})

function guests(count: number, name: string): object[] {
  return Array.from({ length: count }, (_, n) => ({ email: `${name}.${n}@far.example`, role: 4 }))
}

async function dateOf(sandbox: Sandbox, board: string) {
  const rows = await rowsOf(sandbox, 'whiteboards')
  return rows.find(({ whiteboard_id: id }) => id === board)?.modified_date
}

function withoutEmail({ email: _email, ...person }: Person): object {
  return person
}
