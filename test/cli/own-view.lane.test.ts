import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench({
    accounts: [{ scopes: ['user:read', 'whiteboard_content:read', 'whiteboard:read'] }],
  })
  bench.configure()
})
afterAll(() => bench.close())

describe('a token that shows only the data of its own user', () => {
  it('is refused by a sync, because one person’s list would pass for the whole account', async () => {
    const { code, stdout, stderr } = await bench.run('sync', 'users', 'whiteboard-archives')
    expect(code).toBe(4)
    expect(stdout).toMatch(/users .* not allowed/)
    expect(stderr).toMatch(/users: not allowed\. .*user:read:admin, which covers the whole account/)
    expect(stderr).toMatch(
      /the token has the scope user:read, which covers only one user's own data/,
    )
    expect(stderr).toMatch(/whiteboard_sessions: not allowed\. .*whiteboard_content:read:admin/)
    expect(stderr).toContain('callsheet logout')
  })

  it('is reported by doctor', async () => {
    const { code, stdout } = await bench.run('doctor', '--json')
    const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
    const narrow = findings.find(({ text }) => text?.startsWith('users.list needs'))
    expect(narrow).toMatchObject({
      check: 'main scopes',
      state: 'failed',
      text: 'users.list needs user:read:list_users:admin or user:read:admin',
    })
    expect(code).toBe(1)
  })

  it('is accepted by `callsheet call`', async () => {
    const { code, stdout } = await bench.run('call', 'users.list', '--param', 'status=active')
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 records.')])
  })
})
