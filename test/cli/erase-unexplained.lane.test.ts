import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let warehouse: Warehouse
beforeAll(async () => {
  bench = await openWorkbench()
  bench.configure()
  await bench.run('sync', 'users')
  warehouse = connect({ url: bench.databaseUrl })
})
afterAll(async () => {
  await warehouse.close()
  await bench.close()
})
const left = async () =>
  (await sql<{ id: string }>`select id from svc.users`.execute(warehouse.db)).rows.map(
    ({ id }) => id,
  )

describe('an unexplained request, suppression or file', () => {
  let user: string
  beforeAll(async () => {
    const { rows } = await sql<{ id: string }>`
      select id from svc.users where status = 'active' order by id desc limit 1`.execute(
      warehouse.db,
    )
    user = rows[0]!.id
  })

  it('is erased by --due once a person confirms the request by its number', async () => {
    const { rows } = await sql<{ id: number }>`
      insert into callsheet.erasure_requests (account, subject, source, asked_at, requested_at, due_at)
      values ('main', ${`user:${user}`}, 'app_deauthorized', now(), now(), now())
      returning id`.execute(warehouse.db)
    const id = rows[0]!.id
    const alone = await bench.run('erase', '--due', '--yes')
    expect(alone.code).not.toBe(0)
    expect(alone.stdout + alone.stderr).toContain(`these requests: ${id}. `)
    expect(alone.stdout + alone.stderr).toContain('each request with --confirm NUMBER')
    expect(await left()).toContain(user)
    const dry = await bench.run('erase', '--due', '--confirm', String(id), '--dry-run')
    expect(dry.code).toBe(0)
    expect(await left()).toContain(user)
    const done = await bench.run('erase', '--due', '--confirm', String(id), '--yes')
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toContain(`Request ${id} (the person removed the app): erased`)
    for (const { stdout } of [dry, done])
      expect(stdout).toMatch(
        new RegExp(`^ *${id} +the person removed the app +\\d{4}-\\d\\d-\\d\\d .* waiting`, 'm'),
      )
    expect(await left()).not.toContain(user)
    for (const wrong of ['all', '999', String(id)])
      expect((await bench.run('erase', '--due', '--confirm', wrong, '--yes')).code).toBe(2)
    expect((await bench.run('erase', '--user', user, '--confirm', String(id), '--yes')).code).toBe(
      2,
    )
    for (const { stdout, stderr } of [alone, dry, done]) expect(stdout + stderr).not.toContain(user)
  })

  const forge = async () => {
    await sql`insert into callsheet.suppressions (account, token, counts, request_id, since)
      values ('main', decode(md5('x'), 'hex'), 'person', 77, now())`.execute(warehouse.db)
    await sql`insert into callsheet.files (account, kind, parent, item, state, sha256, size, state_at,
        bytes_gone_at)
      values ('main', 'activity', 's-1', 'a-1', 'removed', decode(repeat('ab', 32), 'hex'), 1, now(), now())
      on conflict (account, kind, parent, item) do update set state = 'removed', bytes_gone_at = now(),
        entered = false`.execute(warehouse.db)
  }
  const explained = async (...flags: string[]) => {
    const { code, stdout, stderr } = await bench.run('audit', 'unexplained', ...flags)
    return { code, said: stdout + stderr }
  }

  it('is listed by audit unexplained, and confirmed or rejected by a person', async () => {
    expect(await explained()).toMatchObject({
      code: 0,
      said: expect.stringContaining('Nothing to settle: all of it is explained.') as string,
    })
    for (const how of ['--reject', '--confirm']) {
      await forge()
      const shown = await explained()
      expect(shown.code).toBe(1)
      expect(shown.said).toMatch(/removed file +whiteboard_activities\/s-1\/a-1/)
      expect(shown.said).toContain('1 identities of request 77')
      expect(shown.said).toContain('accept it with --confirm; otherwise use --reject')
      const json = JSON.parse((await bench.run('audit', 'unexplained', '--json')).stdout) as {
        accounts: object[]
      }
      expect(json.accounts).toEqual([
        {
          account: 'main',
          entries: [],
          files: ['whiteboard_activities/s-1/a-1'],
          suppressions: [{ request: 77, identities: 1 }],
          rows: [],
        },
      ])
      const both = await explained(how)
      expect([both.code, both.said]).toEqual([
        2,
        expect.stringContaining('--only files or --only suppressions'),
      ])
      expect((await explained(how, '--only', 'files')).code).toBe(0)
      expect((await explained()).said).toContain('1 identities of request 77')
      expect((await explained()).said).not.toContain('removed file')
      expect((await explained(how)).code).toBe(0)
      expect((await explained()).code).toBe(0)
      const { rows } = await sql<{ kept: number; state: string }>`
        select (select count(*)::int from callsheet.suppressions where request_id = 77) as kept, state
        from callsheet.files where parent = 's-1'`.execute(warehouse.db)
      expect(rows).toEqual([
        how === '--confirm' ? { kept: 1, state: 'removed' } : { kept: 0, state: 'stored' },
      ])
    }
  })

  it('cannot be confirmed and rejected in one call', async () => {
    const { code, said } = await explained('--confirm', '--reject')
    expect([code, said]).toEqual([
      2,
      expect.stringContaining('--confirm and --reject exclude each other'),
    ])
    expect((await explained('--confirm', '--only', 'persons')).code).toBe(2)
  })
})
