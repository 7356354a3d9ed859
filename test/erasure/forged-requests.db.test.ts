import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { addUser } from './add-user.ts'
import { erase, tell, verify } from './stage.ts'

let world: World
let users = 0
/** The IDs of two users, which are new for each test. */
let anna: string
let bob: string
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
})
afterAll(() => world.close())
beforeEach(async () => {
  await sql`delete from callsheet.erasure_requests`.execute(world.warehouse.db)
  users++
  anna = `user-anna-${users}`
  bob = `user-bob-${users}`
  for (const id of [anna, bob])
    await addUser(world, { id, email: `${id}@example.com`, display_name: `Name of ${id}` })
})

/** Adds an erasure request without a proof, as anyone who can write the table could. */
async function forge(subject: string, more: Record<string, unknown> = {}): Promise<number> {
  const row = {
    account: 'account-0',
    subject: `user:${subject}`,
    source: 'app_deauthorized',
    ...more,
  }
  const { rows } = await sql<{ id: number }>`
    insert into callsheet.erasure_requests
      (account, subject, source, state, identities, proof, asked_at, requested_at, due_at)
    select account, subject, source, coalesce(state, 'waiting'), identities, decode(proof_hex, 'hex'),
      coalesce(asked_at, callsheet.clock()), callsheet.clock(), callsheet.clock()
    from jsonb_to_record(${JSON.stringify(row)}::jsonb) as r(account text, subject text, source text,
      state text, identities jsonb, proof_hex text, asked_at timestamptz) returning id`.execute(
    world.warehouse.db,
  )
  return rows[0]?.id ?? 0
}

const takeAway = (user: string, ms = 1_783_476_000_000) =>
  tell(world, {
    event: 'app_deauthorized',
    event_ts: ms,
    payload: { user_id: user, deauthorization_time: new Date(ms).toISOString() },
  })

async function there(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from svc.users
    where id = any(${[anna, bob]}::text[]) order by id`.execute(world.warehouse.db)
  return rows.map(({ id }) => id)
}

/** Carries out the waiting requests; returns the numbers of requests that lack a proof. */
async function due(options: Parameters<typeof erase>[1] = {}): Promise<number[]> {
  const left: number[] = []
  await erase(world, { ...options, onUnproven: (ids) => void left.push(...ids) })
  return left
}

const named = async (): Promise<string[]> =>
  (await verify(world)).findings
    .filter(({ code }) => code === 'request_unexplained')
    .map(({ what }) => what)

async function rowOf(subject: string): Promise<{ id: number; proof: string; asked_at: string }> {
  const { rows } = await sql<{ id: number; proof: string; asked_at: string }>`
    select id, encode(proof, 'hex') as proof, asked_at::text from callsheet.erasure_requests
    where subject = ${`user:${subject}`} order by id desc limit 1`.execute(world.warehouse.db)
  return rows[0]!
}

describe('an erasure request forged with plain SQL', () => {
  it.each(['waiting', 'under_way', 'kept'])(
    'erases nobody in the state %s, and is reported',
    async (state) => {
      const identities = [{ kind: 'id', text: anna }]
      const ids = [
        await forge(anna, { state, identities }),
        await forge(anna, { state, source: 'command', proof_hex: '00'.repeat(64) }),
        await forge(anna, { state, source: 'other', proof_hex: '00'.repeat(32) }),
      ]
      expect(await due()).toEqual(ids)
      expect(await due({ dryRun: true })).toEqual(ids)
      expect(await there()).toEqual([anna, bob])
      expect(await named()).toEqual(ids.map((id) => `the request ${id} for an erasure`))
    },
  )

  it('erases nobody with the proof of another request', async () => {
    await takeAway(bob)
    const { proof, asked_at } = await rowOf(bob)
    const id = await forge(anna, { proof_hex: proof, asked_at })
    expect(await due()).toEqual([id])
    expect(await there()).toEqual([anna])
  })

  it('is used for a new request for the same person, without the added person', async () => {
    const identities = [{ kind: 'id', text: bob }]
    await forge(anna, { state: 'under_way', identities })
    await erase(world, { persons: [anna] })
    expect(await there()).toEqual([bob])
    expect(await named()).toEqual([])
  })

  it('is used if somebody confirms it', async () => {
    const id = await forge(anna)
    const other = await forge(bob)
    expect(await due({ confirmed: [id] })).toEqual([other])
    expect(await there()).toEqual([bob])
  })

  it.each(['under_way', 'kept'])(
    'does not erase an added person, even if confirmed in the state %s',
    async (state) => {
      const id = await forge(anna, { state, identities: [{ kind: 'id', text: bob }] })
      const dry = await erase(world, { confirmed: [id], dryRun: true })
      expect(dry.map(({ outcome }) => outcome.tables.users)).toEqual([{ deleted: 1, redacted: 0 }])
      expect(await due({ confirmed: [id] })).toEqual([])
      expect(await there()).toEqual([bob])
      expect(await named()).toEqual([])
    },
  )
})

describe('an erasure request from a notification', () => {
  it('is trusted only with the secret that signed the notification', async () => {
    await takeAway(anna)
    const { id } = await rowOf(anna)
    expect(await named()).toEqual([])
    expect(await due({ secrets: [] })).toEqual([id])
    expect(await due({ secrets: ['of another'] })).toEqual([id])
    expect(await there()).toEqual([anna, bob])
    expect(await due({ secrets: ['the next one', 'told-in-a-test'] })).toEqual([])
    expect(await there()).toEqual([bob])
    expect((await verify(world)).findings).toEqual([])
  })

  it.each([
    [
      'name another person',
      (id: number) => sql`update callsheet.erasure_requests
      set subject = ${`user:${bob}`} where id = ${id}`,
    ],
    [
      'erase by name, too',
      (id: number) => sql`update callsheet.erasure_requests
      set by_name = true where id = ${id}`,
    ],
    [
      'include another person',
      (id: number) => sql`update callsheet.erasure_requests
      set state = 'under_way', identities = ${JSON.stringify([{ kind: 'id', text: bob }])}::jsonb
      where id = ${id}`,
    ],
  ])('is no longer trusted if changed to %s', async (_what, change) => {
    await takeAway(anna)
    const { id } = await rowOf(anna)
    await change(id).execute(world.warehouse.db)
    expect(await due()).toEqual([id])
    expect(await there()).toEqual([anna, bob])
    expect(await named()).toEqual([`the request ${id} for an erasure`])
  })
})
