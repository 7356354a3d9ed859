import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { type Caller, oauthCaller } from '../caller.ts'
import { SMALL_SIZES } from '../sizes.ts'

const NOW = '2026-06-10T09:00:00Z'
const month = { from: '2026-05-10T09:00:00Z', to: NOW, page_size: '50' }
const sandboxOptions = {
  nowMs: Date.parse(NOW),
  sizes: SMALL_SIZES,
  accounts: [
    {},
    { scopes: ['whiteboard:read', 'whiteboard_classification_labels:read'] },
    { scopes: ['whiteboard:read:list_whiteboards:admin', 'whiteboard:read:content'] },
  ],
}

interface Item {
  whiteboard_id: string
  whiteboard_name: string | null
  created_by_display_name: string
  created_date: string
  modified_date: string
  share_link_setting?: { share_scope: number; share_role: number | null }
}

let sandbox: Sandbox
let admin: Caller
beforeAll(async () => {
  sandbox = await startSandbox(sandboxOptions)
  admin = await oauthCaller(sandbox)
})
afterAll(() => sandbox.close())

const list = async (caller: Caller, query: Record<string, string>): Promise<Item[]> =>
  (await caller.drain('/whiteboards', 'whiteboards', query)) as Item[]
const idsOf = (items: readonly Item[]) => items.map(({ whiteboard_id }) => whiteboard_id)

describe('the whiteboard list', () => {
  it('filters by the requested kind of date, by default the modification date', async () => {
    const created = await list(admin, { ...month, date_filter_type: 'created_date' })
    const modified = await list(admin, { ...month, date_filter_type: 'modified_date' })
    expect(created.length).toBeGreaterThan(10)
    expect(modified.length).toBeGreaterThan(created.length)
    expect(idsOf(await list(admin, month))).toEqual(idsOf(modified))
  })

  it('has every board with archived sessions, created before its sessions', async () => {
    const boards = new Map<string, number>()
    for await (const row of sandbox.truth('whiteboards'))
      boards.set(String(row.whiteboard_id), Date.parse(String(row.created_date)))
    let sessions = 0
    for await (const row of sandbox.truth('whiteboard_sessions')) {
      sessions++
      expect(boards.get(String(row.whiteboard_id))).toBeLessThan(Date.parse(String(row.start_time)))
    }
    expect(sessions).toBe(300)
    expect(boards.size).toBe(100)
  })

  it('has boards of every sharing scope, and locked, trashed and non-cloud boards', async () => {
    const seen = new Map<string, Set<unknown>>()
    for await (const row of sandbox.truth('whiteboards'))
      for (const name of ['share_scope', 'share_role', 'locked', 'trashed', 'non_cloud'])
        seen.set(name, (seen.get(name) ?? new Set()).add(row[name]))
    expect(seen.get('share_scope')).toEqual(new Set(['0', '1', '2', '3', null]))
    expect(seen.get('share_role')).toEqual(new Set(['2', '3', '4', null]))
    for (const name of ['locked', 'trashed', 'non_cloud'])
      expect(seen.get(name)).toEqual(new Set([false, null, true]))
  })

  it('silently limits the range to a month; pages have ten records, fifty at most', async () => {
    const { body } = await admin.get('/whiteboards', {
      from: '2026-01-01T00:00:00Z',
      to: NOW,
      page_size: '300',
    })
    expect(body).not.toHaveProperty('from')
    expect(body.page_size).toBe(50)
    const shown = (await list(admin, { from: '2026-01-01T00:00:00Z', to: NOW })).map((item) =>
      item.modified_date.slice(0, 7),
    )
    expect(new Set(shown).size).toBeLessThanOrEqual(2)
    expect((await admin.get('/whiteboards', { from: month.from, to: NOW })).body.page_size).toBe(10)
  })

  it.each([
    { query: { date_filter_type: 'opened_date' } },
    { query: { from: '2026-05-10' } },
    { query: { status: 'active' } },
  ])('refuses the query $query', async ({ query }) => {
    const refused = await admin.get('/whiteboards', { ...month, ...query })
    expect(refused).toMatchObject({ status: 400, body: { code: 34002 } })
  })

  it('accepts a user’s ID or address with an admin scope, and only “me” without one', async () => {
    const boards = await list(admin, month)
    const { body } = await admin.get('/users', { page_size: '300' })
    const users = body.users as { id: string; email: string; display_name?: string }[]
    let found = 0
    for (const { id, email } of users.slice(0, 40)) {
      const own = idsOf(await list(admin, { ...month, user_id: id }))
      expect(idsOf(await list(admin, { ...month, user_id: email }))).toEqual(own)
      expect(idsOf(boards)).toEqual(expect.arrayContaining(own))
      found += own.length
    }
    expect(found).toBeGreaterThan(0)
    expect(await admin.get('/whiteboards', { ...month, user_id: 'nobody' })).toMatchObject({
      status: 404,
      body: { code: 1001 },
    })
    const plain = await oauthCaller(sandbox, 1)
    expect(
      await plain.get('/whiteboards', { ...month, user_id: users[0]?.id ?? '' }),
    ).toMatchObject({
      status: 400,
      body: { code: 34002 },
    })
    const mine = idsOf(await list(plain, month))
    expect(mine).toEqual(idsOf(await list(plain, { ...month, user_id: 'me' })))
    expect(mine.length).toBeLessThan(boards.length / 2)
  })

  it('can be searched by name, and has no boards for an unknown project', async () => {
    const all = await list(admin, month)
    const word = all.find(({ whiteboard_name: name }) => name !== null)?.whiteboard_name ?? ''
    const found = await list(admin, { ...month, search_key: word.toUpperCase() })
    expect(found.length).toBeGreaterThan(0)
    expect(found.every(({ whiteboard_name: name }) => name?.includes(word))).toBe(true)
    expect((await list(admin, { ...month, project_id: 'none' })).length).toBe(0)
  })
})

describe('the lists of labels, collaborators and content', () => {
  it('show a label’s board count only to admins, and have one default label', async () => {
    const { body } = await admin.get('/whiteboards/classification_labels')
    const labels = body.labels as Record<string, unknown>[]
    expect(labels.length).toBe(12)
    expect(labels.filter(({ is_default }) => is_default === true)).toHaveLength(1)
    expect(labels.every((label) => 'whiteboard_count' in label)).toBe(true)
    const plain = await oauthCaller(sandbox, 1)
    const told = await plain.get('/whiteboards/classification_labels')
    const without = told.body.labels as Record<string, unknown>[]
    expect(without.some((label) => 'whiteboard_count' in label)).toBe(false)
  })

  it('include at most thirty labels', async () => {
    const own = await startSandbox(sandboxOptions)
    const ops = Array.from({ length: 25 }, () => ({ kind: 'labels', action: 'add' }) as const)
    own.mutate({ ops })
    const { body } = await (await oauthCaller(own)).get('/whiteboards/classification_labels')
    expect(body.labels).toHaveLength(30)
    await own.close()
  })

  it('include users, outsiders and channels as collaborators, with one owner first', async () => {
    const types = new Set<unknown>()
    for (const { whiteboard_id: id } of await list(admin, month)) {
      const { body } = await admin.get(`/whiteboards/${id}/collaborator`)
      const people = body as unknown as Record<string, unknown>[]
      expect(people.filter(({ role }) => role === 0)).toEqual([people[0]])
      for (const { collaborator_type: type, user_id, email, channel_id } of people) {
        types.add(type)
        expect([typeof user_id, typeof email].every((kind) => kind === 'string')).toBe(type === 0)
        expect(typeof channel_id === 'string').toBe(type === 2)
      }
    }
    expect(types).toEqual(new Set([0, 1, 2]))
  })

  it('are limited to a thousand collaborators and ten thousand objects', async () => {
    const own = await startSandbox(sandboxOptions)
    const patch = { collaborators: 4_000, objects: 40_000 }
    own.mutate({ ops: [{ kind: 'boards', action: 'change', index: 7, patch }] })
    const caller = await oauthCaller(own)
    const most = { people: 0, objects: 0 }
    for await (const { whiteboard_id } of own.truth('whiteboards')) {
      const id = String(whiteboard_id)
      const people = (await caller.get(`/whiteboards/${id}/collaborator`))
        .body as unknown as object[]
      const { content_objects: objects } = (await caller.get(`/whiteboards/${id}/content`)).body
      most.people = Math.max(most.people, people.length)
      most.objects = Math.max(most.objects, (objects as object[]).length)
    }
    expect(most).toEqual({ people: 1_000, objects: 10_000 })
    await own.close()
  })

  it('answer 404 for a deleted board and 403 for a withheld one', async () => {
    const own = await startSandbox(sandboxOptions)
    const caller = await oauthCaller(own)
    const [gone, shut] = await list(caller, month)
    own.mutate({
      ops: [
        { kind: 'boards', action: 'remove', id: gone?.whiteboard_id ?? '' },
        {
          kind: 'boards',
          action: 'change',
          id: shut?.whiteboard_id ?? '',
          patch: { withheld: true },
        },
      ],
    })
    for (const part of ['collaborator', 'content']) {
      const path = (item: Item | undefined) => `/whiteboards/${item?.whiteboard_id ?? ''}/${part}`
      expect(await caller.get(path(gone))).toMatchObject({ status: 404, body: { code: 34007 } })
      expect(await caller.get(path(shut))).toMatchObject({ status: 403, body: { code: 111804 } })
      const page = await caller.get(path(shut), { page_size: '50' })
      expect(page).toMatchObject({ status: 400, body: { code: 34002 } })
    }
    await own.close()
  })

  it('need separate scopes: a granular scope gives access only to its own call', async () => {
    const granular = await oauthCaller(sandbox, 2)
    const [board] = await list(granular, month)
    const id = board?.whiteboard_id ?? ''
    expect((await granular.get(`/whiteboards/${id}/content`)).status).toBe(200)
    for (const path of [`/whiteboards/${id}/collaborator`, '/whiteboards/classification_labels'])
      expect(await granular.get(path)).toMatchObject({ status: 400, body: { code: 4711 } })
  })
})
