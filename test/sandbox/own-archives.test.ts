import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { type Caller, oauthCaller } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'

const NOW = '2026-06-10T09:00:00Z'
const month = { from: '2026-05-10T09:00:00Z', to: NOW, page_size: '50' }

interface Item {
  id: string
  regulated_participants: { user_id: string }[]
}

let sandbox: Sandbox
let everything: Item[]
let user: Caller
beforeAll(async () => {
  sandbox = await startSandbox({ nowMs: Date.parse(NOW), sizes: { ...SMALL_SIZES, users: 6 } })
  everything = await list(await oauthCaller(sandbox))
  const changed = {
    clientId: sandbox.credentials[0]?.clientId,
    scopes: ['whiteboard_content:read'],
  }
  const body = JSON.stringify(changed)
  await fetch(`${sandbox.url}/__sandbox/app-scopes`, { method: 'POST', body })
  user = await oauthCaller(sandbox)
})
afterAll(() => sandbox.close())

const list = async (caller: Caller) =>
  (await caller.drain('/whiteboards/sessions', 'sessions', month)) as Item[]

it('without an admin scope, the list shows only sessions in which the user took part', async () => {
  const own = await list(user)
  expect(own.length).toBeGreaterThan(0)
  expect(own.length).toBeLessThan(everything.length)
  const shared = own.map((one) => new Set(one.regulated_participants.map((who) => who.user_id)))
  const inAll = [...(shared[0] ?? [])].filter((id) => shared.every((there) => there.has(id)))
  expect(inAll).toHaveLength(1)
  const others = everything.filter(({ id }) => own.every((one) => one.id !== id))
  const missed = others.flatMap(({ regulated_participants: there }) =>
    there.filter(({ user_id }) => user_id === inAll[0]),
  )
  expect(missed).toEqual([])
  const read = (one: Item | undefined) => user.get(`/whiteboards/sessions/${one?.id ?? ''}`)
  expect((await read(own[0])).status).toBe(200)
  expect((await read(others[0])).status).toBe(404)
})
