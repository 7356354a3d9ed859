import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { type Caller, oauthCaller } from '../caller.ts'

const NOW_MS = Date.parse('2026-06-10T09:00:00Z')
let sandbox: Sandbox
let caller: Caller

beforeAll(async () => {
  sandbox = await startSandbox({ nowMs: NOW_MS, sizes: { users: 1000 } })
  caller = await oauthCaller(sandbox)
})
afterAll(() => sandbox.close())

describe('the user list', () => {
  it('shows every user of a status exactly once over its pages', async () => {
    const counts = []
    for (const status of ['active', 'inactive', 'pending']) {
      const listed = await caller.drain('/users', 'users', { status, page_size: '77' })
      const emails = new Set((listed as { email: string }[]).map((user) => user.email))
      expect(emails.size).toBe(listed.length)
      counts.push(listed.length)
    }
    expect(counts).toEqual([800, 120, 80])
  })

  it('shows 30 active users by default, and limits a page to 300', async () => {
    const plain = await caller.get('/users')
    expect(plain.body).toMatchObject({ page_size: 30, total_records: 800 })
    const large = await caller.get('/users', { page_size: '5000' })
    expect(large.body.page_size).toBe(300)
    expect(large.body.users).toHaveLength(300)
  })

  it('also supports page numbers', async () => {
    const query = { status: 'inactive', page_size: '50' }
    const last = await caller.get('/users', { ...query, page_number: '3' })
    expect(last.body).toMatchObject({ page_count: 3, page_number: 3 })
    expect(last.body.users).toHaveLength(20)
  })

  it('has IDs and addresses that lead to the same user in the detail', async () => {
    const { body } = await caller.get('/users', { page_size: '3' })
    for (const { id, email } of body.users as { id: string; email: string }[]) {
      expect((await caller.get(`/users/${id}`)).body).toMatchObject({ id, email })
      expect((await caller.get(`/users/${encodeURIComponent(email)}`)).body).toMatchObject({ id })
    }
    expect((await caller.get('/users/nobody')).body).toMatchObject({ code: 1001 })
  })
})
