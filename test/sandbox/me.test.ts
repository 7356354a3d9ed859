import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { users } from '../../src/resources/users.ts'
import { type Caller, oauthCaller } from './caller.ts'
import { byKey, readStream, truthRows } from './read-stream.ts'

const NOW_MS = Date.parse('2026-06-10T09:00:00Z')
const TEXTS = `id first_name last_name display_name email role_name personal_meeting_url timezone dept
  pic_url cms_user_id jid account_id language phone_country phone_number status job_title cost_center
  company location role_id cluster created_at last_login_time user_created_at last_client_version`

describe('a user of the sandbox', () => {
  it('is returned in full, by ID and as “me”', () =>
    withCaller({}, async (caller) => {
      const { body } = await caller.get('/users', { page_size: '300' })
      const phones: Record<string, unknown>[] = []
      const groups = { group_ids: 0, im_group_ids: 0 }
      let full = 0
      for (const { id } of body.users as { id: string }[]) {
        const user = (await caller.get(`/users/${id}`)).body
        for (const name of ['type', 'pmi', 'verified', 'account_number'])
          expect(user[name]).toSatisfy(Number.isInteger)
        expect(user.use_pmi).toBeTypeOf('boolean')
        expect(user.login_types).toSatisfy((all: number[]) => all.every(Number.isInteger))
        expect(user.custom_attributes).toEqual([
          { key: 'cc', name: 'Cost center', value: expect.any(String) as string },
        ])
        if (TEXTS.split(/\s+/).every((name) => typeof user[name] === 'string')) full++
        for (const name of ['group_ids', 'im_group_ids'] as const)
          groups[name] += (user[name] as string[]).length
        phones.push(...(user.phone_numbers as Record<string, unknown>[]))
      }
      expect(full).toBeGreaterThan(50)
      expect(Math.min(groups.group_ids, groups.im_group_ids)).toBeGreaterThan(0)
      expect(phones.length).toBeGreaterThan(10)
      for (const { verified, ...texts } of phones) {
        expect(verified).toBeTypeOf('boolean')
        expect(Object.keys(texts).toSorted()).toEqual(['code', 'country', 'label', 'number'])
        expect(Object.values(texts).every((text) => typeof text === 'string')).toBe(true)
      }
      const [first] = body.users as { id: string }[]
      expect((await caller.get('/users/me')).body).toEqual(
        (await caller.get(`/users/${first?.id ?? ''}`)).body,
      )
    }))

  it('can read and list nobody else without an admin scope', () =>
    withCaller({ accounts: [{}, { scopes: ['user:read'] }] }, async (admin, sandbox) => {
      const own = await oauthCaller(sandbox, 1)
      const { body } = await own.get('/users')
      const me = (await own.get('/users/me')).body
      expect((body.users as { id: unknown }[]).map(({ id }) => id)).toEqual([me.id])
      const other = ((await admin.get('/users')).body.users as { id: string }[])[1]?.id ?? ''
      expect((await own.get(`/users/${other}`)).status).toBe(403)
      expect((await own.get(`/users/${String(me.id)}`)).status).toBe(200)
    }))

  it('is found in the list by role', () =>
    withCaller({}, async (caller) => {
      const all = (await caller.drain('/users', 'users')) as { id: string; role_id: string }[]
      const admins = all.filter(({ role_id }) => role_id === '1')
      expect(admins.length).toBeGreaterThan(0)
      expect(await caller.drain('/users', 'users', { role_id: '1' })).toEqual(admins)
    }))

  it.each([[{ status: 'gone' }], [{ page_number: '0' }], [{ page_number: '1', page_size: 'x' }]])(
    'is not listed for the invalid query %o',
    (query) =>
      withCaller({}, async (caller) =>
        expect(await caller.get('/users', query as Record<string, string>)).toMatchObject({
          status: 400,
          body: { code: 300 },
        }),
      ),
  )

  it('is listed exactly once over the numbered pages', () =>
    withCaller({}, async (caller) => {
      const ids = new Set<string>()
      let pages = 1
      for (let page = 1; page <= pages; page++) {
        const query = { page_size: '64', page_number: String(page) }
        const { body } = await caller.get('/users', query)
        expect(body).toMatchObject({ page_number: page, page_size: 64 })
        expect(body.next_page_token ?? '').toBe('')
        for (const { id } of body.users as { id: string }[]) ids.add(id)
        pages = Number(body.page_count)
      }
      expect([pages, ids.size]).toEqual([4, 240])
    }))
})

describe('the token’s user', () => {
  const changes = {
    first_name: 'Nell',
    last_name: 'Oak',
    display_name: 'Nell O.',
    dept: 'Depot',
    job_title: 'Chief',
    company: 'Ours',
    location: 'Pier 9',
    language: 'fr-FR',
    timezone: 'Europe/Paris',
  }

  it('updates only the supplied fields, in detail, list, truth and the next run', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sandbox-'))
    const stateFile = join(directory, 'state.json')
    await withCaller({ stateFile }, async (caller, sandbox) => {
      const before = (await caller.get('/users/me')).body
      expect((await caller.send('PATCH', '/users/me', {})).status).toBe(204)
      expect((await caller.get('/users/me')).body).toEqual(before)
      expect((await caller.send('PATCH', '/users/me', changes)).status).toBe(204)
      expect((await caller.send('PATCH', '/users/me', { dept: 'Yard' })).status).toBe(204)
      const after = { ...before, ...changes, dept: 'Yard' }
      expect((await caller.get('/users/me')).body).toEqual(after)
      const rows = byKey(users, await truthRows(sandbox, users))
      expect(byKey(users, await readStream(sandbox, users))).toEqual(rows)
      expect(rows.filter(({ display_name }) => display_name === 'Nell O.')).toMatchObject([
        { id: before.id, dept: 'Yard', timezone: 'Europe/Paris' },
      ])
    })
    await withCaller({ stateFile }, async (caller) =>
      expect((await caller.get('/users/me')).body).toMatchObject({ ...changes, dept: 'Yard' }),
    )
    rmSync(directory, { recursive: true })
  })

  it.each([[undefined], [{ first_name: '' }], [{ dept: 7 }], [{ email: 'a@b.example' }]])(
    'is not updated by the invalid body %o',
    (body) =>
      withCaller({}, async (caller) =>
        expect(await caller.send('PATCH', '/users/me', body)).toMatchObject({
          status: 400,
          body: { code: 300 },
        }),
      ),
  )

  it('gets a different token each time', () =>
    withCaller({}, async (caller) => {
      const tokens = [await caller.get('/users/me/token'), await caller.get('/users/me/token')]
      expect(tokens.map(({ status }) => status)).toEqual([200, 200])
      expect(new Set(tokens.map(({ body }) => body.token)).size).toBe(2)
      expect(tokens[0]?.body.token).toMatch(/^[\w.-]{20,}$/)
    }))

  it('can list and create meetings', () =>
    withCaller({}, async (caller) => {
      const path = '/users/me/meetings'
      const before = await caller.drain(path, 'meetings', { page_size: '3' })
      expect(before.length).toBeGreaterThan(3)
      const asked = { topic: 'Plan', start_time: '2026-07-01T10:00:00Z', duration: 45 }
      const made = await caller.send('POST', path, asked)
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({ ...asked, created_at: '2026-06-10T09:00:00Z' })
      expect(made.body.host_id).toBe((await caller.get('/users/me')).body.id)
      expect(await caller.drain(path, 'meetings')).toEqual([...before, made.body])
      for (const body of [undefined, {}, { topic: '' }, { ...asked, duration: 0 }])
        expect(await caller.send('POST', path, body)).toMatchObject({
          status: 400,
          body: { code: 300 },
        })
    }))

  it('is answered 404 after leaving the account', () =>
    withCaller({}, async (caller, sandbox) => {
      sandbox.mutate({ ops: [{ kind: 'users', action: 'remove', index: 0 }] })
      for (const answer of [
        await caller.get('/users/me'),
        await caller.get('/users/me/token'),
        await caller.get('/users/me/meetings'),
        await caller.send('POST', '/users/me/meetings', { topic: 't' }),
        await caller.send('PATCH', '/users/me', { dept: 'Yard' }),
      ])
        expect(answer).toMatchObject({ status: 404, body: { code: 1001 } })
    }))
})

async function withCaller(
  options: SandboxOptions,
  work: (caller: Caller, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: { users: 300 }, ...options })
  try {
    await work(await oauthCaller(sandbox), sandbox)
  } finally {
    await sandbox.close()
  }
}
