import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { describe as redacted } from '../../src/api/answers/describe.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { send } from '../api/fault-server.ts'
import { type Ended, openWorkbench, type Workbench } from '../cli/workbench.ts'
import { type Meddler, meddleWith, PERSONAL, PERSONAL_NUMBER, SECRET } from './meddler.ts'

const words = `User ${PERSONAL} Jones (${PERSONAL}@example.com) with ${SECRET}-1 at https://x/?pwd=${SECRET}`
const quoting = { code: 300, message: words, error: 'x', error_description: words }
const faults = [
  ['/oauth/token', 0, send(500, quoting)],
  ['/v2/users', 0, send(500, quoting)],
  ['/v2/users', 1, send(401, { ...quoting, code: 124 })],
  ['/v2/users', 2, send(200, `{"users":[{"email":"${PERSONAL}@x","passcode":"${SECRET}"`)],
  [
    '/v2/number_management/numbers',
    0,
    send(502, `<html>${words}</html>`, { 'content-type': 'text/html' }),
  ],
  ['/v2/number_management/numbers', 1, send(429, quoting, { 'retry-after': '1' })],
  ['/v2/videosdk/recordings', 0, send(403, { ...quoting, code: 3 })],
  ['/v2/videosdk/sessions', 1, send(404, { ...quoting, code: 7 })],
  ['/v2/whiteboards/sessions', 0, send(200, { ...quoting, code: 200 })],
] as const

let bench: Workbench
let meddler: Meddler
let warehouse: Warehouse
const ended: Ended[] = []
let commandLines = ''
beforeAll(async () => {
  const apps = [{ clientSecret: `${SECRET}-client`, apiSecret: `${SECRET}-video` }]
  bench = await openWorkbench({ accounts: apps })
  meddler = await meddleWith(bench.sandbox, faults)
  bench.configure({
    account: [
      `baseUrl: ${meddler.url}/v2`,
      `authUrl: ${meddler.url}`,
      `clientSecret: ${SECRET}-client`,
      `videoSessions: {apiKey: video-key-1, apiSecret: ${SECRET}-video}`,
    ],
    top: [`tokenKey: "${TOKEN_KEY}"`],
  })
  warehouse = connect({ url: bench.databaseUrl })
  const sync = bench.start('sync', '--verbose')
  commandLines = await commandLineOf(sync.child.pid)
  ended.push(await sync.ended)
  for (const args of [
    ['sync', '--verbose', '--json'],
    ['runs', '1'],
    ['doctor', '--verbose'],
  ])
    ended.push(await bench.run(...args))
})
afterAll(async () => {
  await warehouse.close()
  await meddler.close()
  await bench.close()
})

describe('canaries in every secret and personal field', () => {
  it('are in the service’s responses, and every planned fault occurs', async () => {
    expect(meddler.planted.secrets).toBeGreaterThan(200)
    expect(meddler.planted.personal).toBeGreaterThan(200)
    expect(meddler.left()).toBe(0)
    const [first, second] = ended
    expect(first?.code).not.toBe(0)
    expect(first?.stderr.split('\n').length).toBeGreaterThan(30)
    expect(first?.stderr).toContain('"level":"debug"')
    expect(second?.stdout).toContain('"runs"')
  })

  it('do not appear in any log line, error or command output', () => {
    const said = ended.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('\n')
    expect(said.length).toBeGreaterThan(10_000)
    expect(linesWith(said, SECRET)).toEqual([])
    expect(linesWith(said, TOKEN_KEY)).toEqual([])
    expect(linesWith(said, PERSONAL)).toEqual([])
    expect(linesWith(said, String(PERSONAL_NUMBER))).toEqual([])
    expect(linesWith(said, new URL(bench.databaseUrl).password)).toEqual([])
  })

  it('do not appear in any command line', () => {
    expect(commandLines).toContain('sync')
    expect(commandLines).not.toMatch(new RegExp(`${SECRET}|${TOKEN_KEY}`, 'i'))
    expect(commandLines).not.toContain(new URL(bench.databaseUrl).password)
  })

  it('do not appear in the database if they are secrets', async () => {
    const found: string[] = []
    for (const [table, text] of await dump())
      if (linesWith(text, SECRET).length > 0) found.push(`${table}: ${linesWith(text, SECRET)[0]}`)
    expect(found).toEqual([])
  })

  it('appear only in the data tables and the quarantine if they are personal', async () => {
    const tables = [...(await dump())]
      .filter(([, text]) => linesWith(text, PERSONAL).length > 0)
      .map(([table]) => table)
    expect(tables).toEqual(expect.arrayContaining(['svc.users', 'callsheet.quarantine']))
    const elsewhere = tables.filter((table) => !/^(svc|history)\./.test(table))
    expect(elsewhere).toEqual(['callsheet.quarantine'])
  })

  it('leave their secret fields in the stored record, with an empty value', async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from svc.users
      where _raw @> '{"session_password": "", "access_key": "", "sip_pin": ""}'`.execute(
      warehouse.db,
    )
    expect(rows[0]?.n).toBeGreaterThan(50)
  })

  it('do not appear in any file but the configuration if they are secrets', () => {
    const files = readdirSync(bench.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    const holding = files.filter(
      (file) => linesWith(readFileSync(file, 'latin1'), SECRET).length > 0,
    )
    expect(holding).toEqual([join(bench.folder, 'config.yaml')])
  })
})

describe('a message from the service', () => {
  it.each([
    ['User does not exist: Jane Ann Doe-Smith.', 'User does not exist: <name>'],
    [
      "User 'jane doe' doesn't exist, or can't be shown",
      "User <text> doesn't exist, or can't be shown",
    ],
    ['Łukasz Żak was not found', '<name> was not found'],
    ['用户 李雷 not found', '<name> not found'],
    ['You have reached the Daily Rate Limit.', 'You have reached the Daily Rate Limit'],
    ['Invalid access token, does not contain scopes:[user:read:admin]', undefined],
  ])('is shown without personal names: %s', (message, expected) => {
    expect(redacted(message)).toBe(expected ?? message)
  })
})

/** Every row of every table as text, with bytes as the characters that they are. */
async function dump(): Promise<Map<string, string>> {
  const { rows } = await sql<{ schema: string; name: string; bytes: string[] | null }>`
    select n.nspname as schema, c.relname as name,
      array_agg(a.attname::text) filter (where a.atttypid = 'bytea'::regtype) as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where n.nspname in ('callsheet', 'svc', 'history') and c.relkind in ('r', 'p')
      and not c.relispartition group by 1, 2`.execute(warehouse.db)
  const texts = new Map<string, string>()
  for (const { schema, name, bytes } of rows) {
    const blobs = (bytes ?? []).map((column) => sql`encode(t.${sql.id(column)}, 'escape')`)
    const held = await sql<{ row: string }>`
      select concat_ws(' ', t::text, ${sql.join([sql`''`, ...blobs])}) as row
      from ${sql.id(schema, name)} t`.execute(warehouse.db)
    texts.set(`${schema}.${name}`, held.rows.map(({ row }) => row).join('\n'))
  }
  return texts
}

function linesWith(text: string, canary: string): string[] {
  return text.split('\n').filter((line) => line.toLowerCase().includes(canary.toLowerCase()))
}

/** What `ps` shows of a process, and of those that it has started, once it runs. */
async function commandLineOf(pid: number | undefined): Promise<string> {
  if (process.platform !== 'linux') return 'sync'
  await vi.waitFor(() => expect(meddler.planted.faults).toBeGreaterThan(2), { timeout: 10_000 })
  const own = String(pid)
  const children = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').trim().split(' ')
  return [own, ...children]
    .filter((id) => id !== '')
    .map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' '))
    .join('\n')
}

const TOKEN_KEY = 'c0ffee'.repeat(10) + 'c0ff'
