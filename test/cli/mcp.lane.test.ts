import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { isRunning } from '../../src/warehouse/holder.ts'
import { openWorkbench, secretsOf, type Workbench } from './workbench.ts'

const role = `mcp_${randomBytes(4).toString('hex')}`
const MCP = { MCP: 'password-of-the-client' }
let bench: Workbench
let client: Client

beforeAll(async () => {
  bench = await openWorkbench()
  bench.configure({ top: [`mcp: {user: ${role}, password: env:MCP}`] })
  await asOwner(`create role ${role} login password '${MCP.MCP}'`)
  await bench.run('sync', 'users', 'phone-numbers')
  await bench.run('migrate', '--reporter', role)
  client = (await connected()).client
}, 120_000)
afterAll(async () => {
  await client.close()
  await asOwner(`drop owned by ${role}; drop role ${role}`)
  await bench.close()
})

async function asOwner(text: string): Promise<void> {
  const owner = connect({ url: bench.databaseUrl, poolSize: 1 })
  await sql.raw(text).execute(owner.db)
  await owner.close()
}

async function connected() {
  const server = new StdioClientTransport({
    command: process.execPath,
    args: [inject('programs').callsheet, 'mcp'],
    cwd: bench.folder,
    env: { PATH: process.env.PATH ?? '', ...secretsOf(bench.databaseUrl), ...MCP },
    stderr: 'pipe',
  })
  const started = new Client({ name: 'test', version: '1.0.0' })
  await started.connect(server)
  return { client: started, transport: server }
}

async function call(name: string, asked: Record<string, unknown> = {}, of = client) {
  const { content, isError } = await of.callTool({ name, arguments: asked })
  const [{ text }] = content as [{ text: string }]
  for (const secret of [MCP.MCP, 'client-secret-1', 'video-secret-1', bench.databaseUrl])
    expect(text).not.toContain(secret)
  const [first = '', ...lines] = text.split('\n')
  return { first, lines, isError }
}

describe('a client of callsheet mcp', () => {
  it('finds five tools and how to read their answers', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'coverage',
      'tables',
      'query',
      'status',
      'report',
    ])
    expect(client.getInstructions()).toContain('incomplete')
    expect(client.getServerVersion()).toMatchObject({ name: 'callsheet' })
  })

  it('reads health of each account, and that not all tables are whole', async () => {
    const { first, lines } = await call('status')
    expect(first).toMatch(
      /^incomplete: .*; recording_details of main: never read; .*; and 10 more\.$/,
    )
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      account: 'main',
      health: { causes: expect.any(Array) },
    })
    expect((await call('status', { account: 'nobody' })).isError).toBe(true)
  })

  it('reads how complete tables are', async () => {
    const whole = await call('coverage', { table: 'users' })
    expect(whole.first).toMatch(/^complete as of 20\d\d-.*Z: .* users /)
    expect(whole.lines.map((line) => JSON.parse(line))).toMatchObject([
      { account: 'main', whole: true },
    ])
    const unread = await call('coverage', { table: 'session_reports' })
    expect(unread.first).toMatch(/^incomplete: .*session_reports of main/)
    expect((await call('coverage')).first).toMatch(/^incomplete: /)
  })

  it('reads what tables and columns mean', async () => {
    const all = await call('tables')
    expect(all.lines).toContainEqual(expect.stringMatching(/^report\.users: \S/))
    const { first, lines } = await call('tables', { table: 'users' })
    expect(first).toMatch(/^complete as of/)
    expect(lines).toContainEqual(expect.stringMatching(/^email text: \S/))
    expect((await call('tables', { table: 'nothing' })).lines).toEqual([
      'the schema report has no such table',
    ])
  })

  it('queries a table, with the answer beginning with whether it is whole', async () => {
    const { first, lines } = await call('query', {
      sql: 'select count(*) as users from report.users;',
    })
    expect(first).toMatch(
      /^complete as of 20\d\d-.*Z: all records of users that existed then were read/,
    )
    expect(JSON.parse(lines[0] ?? '')).toEqual({ users: expect.any(Number) })
    const joined =
      'select count(*) from report.history_users u left join report.whiteboards on false'
    expect((await call('query', { sql: joined })).first).toMatch(
      /^incomplete: .*whiteboards of main: never read/,
    )
    const pushed = await call('query', { sql: 'select count(*) from report.notifications' })
    expect(pushed.first).toMatch(/^incomplete: .*notifications of main: no complete reading/)
    expect((await call('query', { sql: 'select 1' })).first).toBe('uses no synced table')
  })

  it('gets a limited number of rows and characters, and reads what was cut off', async () => {
    const two = await call('query', {
      sql: 'select day from report.calendar order by day',
      rows: 2,
    })
    expect(two.lines).toEqual([
      'cut off: all rows after the first 2',
      '{"day":"2015-01-01"}',
      '{"day":"2015-01-02"}',
    ])
    const wide = await call('query', {
      sql: "select repeat('x', 9000) from generate_series(1, 900)",
      rows: 900,
    })
    expect(wide.lines[0]).toBe('cut off: the last 889 of 900 lines')
    expect(wide.lines).toHaveLength(12)
    const long = await call('query', { sql: "select repeat('x', 100000000)" })
    expect(long.lines[0]).toBe('cut off: rows after 10000 characters')
    expect(long.lines[1]).toHaveLength(10_000)
    expect((await call('query', { sql: 'select 1', rows: 1_001 })).isError).toBe(true)
    expect((await call('query', { sql: 'select 1\0' })).isError).toBe(true)
  })

  it('reads of an error what failed, what was expected, and what to do', async () => {
    const { first, lines, isError } = await call('query', { sql: 'select * from svc.users' })
    expect([isError, first]).toEqual([
      true,
      expect.stringContaining('Running the statement: permission denied'),
    ])
    expect(lines[0]).toContain('expected:   a query of the schema report')
    expect(lines[1]).toContain('what to do: name tables as report.TABLE')
    expect((await call('query', { sql: 'reset role' })).isError).toBe(true)
  })

  it('creates a report and reads where its files are', async () => {
    const list = await call('report')
    expect(list.lines).toContainEqual(expect.stringContaining('"number-inventory"'))
    const { first, lines } = await call('report', { name: 'number-inventory' })
    expect(first).toMatch(/^(complete as of|incomplete: )/)
    const made = JSON.parse(lines[0] ?? '') as { headline: { figures: string[] }; files: string[] }
    expect(made.headline.figures.length).toBeGreaterThan(0)
    expect(made.files.length).toBeGreaterThan(0)
    for (const path of made.files)
      expect(existsSync(join(bench.folder, path)) || existsSync(path)).toBe(true)
    expect((await call('report', { name: 'nothing' })).isError).toBe(true)
  })

  it('ends the server by disconnecting, even during a statement', async () => {
    const other = await connected()
    const pid = other.transport.pid ?? 0
    const asked = call('query', { sql: 'select pg_sleep(20)' }, other.client).catch(() => 'ended')
    expect(isRunning(pid)).toBe(true)
    const before = process.hrtime.bigint()
    await other.client.close()
    expect(await asked).toBe('ended')
    await expect.poll(() => isRunning(pid), { timeout: 5_000 }).toBe(false)
    expect(Number(process.hrtime.bigint() - before) / 1e6).toBeLessThan(1_900)
  })
})

describe('callsheet mcp does not start', () => {
  it('with a wrong password, as a role with too many rights, or without the setting mcp', async () => {
    const refused = await bench.startWith({ environment: { MCP: 'wrong' } }, 'mcp').ended
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    await asOwner(`grant select on svc.users to ${role}`)
    const { code, stdout, stderr } = await bench.startWith({ environment: MCP }, 'mcp').ended
    await asOwner(`revoke select on svc.users from ${role}`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('svc.users')
    bench.configure()
    const without = await bench.run('mcp')
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('callsheet migrate --reporter')
  })
})
