import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanText } from '../../src/core/records/map-record.ts'
import { wireKey } from '../../src/core/records/record-key.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { ensureMonthPartitions } from '../../src/warehouse/partitions.ts'
import { type Ended, openWorkbench, start, type Workbench } from '../cli/workbench.ts'
import { HOSTILE } from './hostile-strings.ts'
import { type Proxy, proxyTo } from './proxy.ts'
import { schemaOf } from './schema-of.ts'

let bench: Workbench
let proxy: Proxy
let warehouse: Warehouse
let before: unknown[]
const ended: Ended[] = []
beforeAll(async () => {
  bench = await openWorkbench()
  proxy = await proxyTo(bench.sandbox.url, { change: hostile, instead: refuse })
  bench.configure({ account: [`baseUrl: ${proxy.url}/v2`, `authUrl: ${proxy.url}`] })
  warehouse = connect({ url: bench.databaseUrl })
  await ensureMonthPartitions(warehouse)
  before = await schemaOf(warehouse)
  const watch = pathToFileURL(join(import.meta.dirname, 'watch-prototypes.ts')).href
  const environment = {
    DATABASE: bench.databaseUrl,
    SECRET: 'client-secret-1',
    KEY: 'video-secret-1',
    NODE_OPTIONS: `--disable-proto=delete --import=${watch}`,
  }
  const jobs = ['users', 'whiteboard-archives']
  const first = start(['sync', '--verbose', ...jobs], { folder: bench.folder, environment })
  ended.push(await first.ended)
  ended.push(await bench.run('sync', ...jobs))
  ended.push(...(await Promise.all(['1', '2'].map((run) => bench.run('runs', run)))))
})
afterAll(async () => {
  await warehouse.close()
  await proxy.close()
  await bench.close()
})

describe('a thousand records full of SQL, escape sequences and prototype names', () => {
  it('leave the schema unchanged', async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from svc.users`.execute(
      warehouse.db,
    )
    expect(rows[0]?.n).toBeGreaterThanOrEqual(RECORDS)
    expect(before.length).toBeGreaterThan(300)
    expect(await schemaOf(warehouse)).toEqual(before)
  })

  it('are stored as sent, and count as unchanged in the next sync', async () => {
    const { rows } = await sql<Record<string, string>>`
      select id, first_name, last_name, dept, job_title from svc.users where id like 'hostile%'`.execute(
      warehouse.db,
    )
    expect(rows).toHaveLength(RECORDS)
    for (const row of rows) {
      const at = Number(/^hostile (\d+)/.exec(row.id ?? '')?.[1])
      const sent = record(at)
      expect(wireKey(row.id ?? '')).toBe(sent.id)
      for (const name of ['first_name', 'last_name', 'dept', 'job_title'] as const)
        expect(row[name]).toBe(cleanText(sent[name] as string))
    }
    expect(ended[1]?.stdout).toMatch(/^users +0 +0 +1,\d+ +0/m)
  })

  it('change no prototype', () => {
    expect(ended[0]?.stderr).toContain('prototypes are as they were')
    expect(ended[0]?.stderr).not.toContain('polluted')
    expect(ended[0]?.code).toBe(4)
  })

  it('have their unknown fields reported, even those named like prototype members', async () => {
    const { rows } = await sql<{ path: string }>`
      select path from callsheet.drift where stream = 'users' and kind = 'unknown_field'`.execute(
      warehouse.db,
    )
    const paths = rows.map(({ path }) => path)
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])
      expect(paths).toContain(name)
    expect(paths).toContain(`"; drop schema svc cascade; --`)
  })
})

describe('records nested a hundred thousand deep', () => {
  it('are quarantined', async () => {
    const { rows } = await sql<{ reason: string; length: number }>`
      select reason, length(payload) as length from callsheet.quarantine where stream = 'users'`.execute(
      warehouse.db,
    )
    expect(rows).toEqual([
      { reason: 'nested deeper than 64', length: expect.any(Number) as number },
      { reason: 'nested deeper than 64', length: expect.any(Number) as number },
    ])
    for (const { length } of rows) expect(length).toBeGreaterThan(2 * DEPTH)
  })
})

describe('names with line breaks and escape sequences', () => {
  it('cannot forge a log line', () => {
    const lines = (ended[0]?.stderr ?? '').split('\n').filter((line) => line.startsWith('{'))
    expect(lines.length).toBeGreaterThan(20)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ time: expect.any(String) as string })
    expect(lines.filter((line) => /"event":"forged"/.test(line))).toEqual([])
  })

  it('cannot control the terminal or start a line on it', () => {
    const said = ended.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join('\n')
    expect(said).toContain('forged')
    const acting = said.match(/[\p{Cc}\u2028\u2029\u202a-\u202e]/gu) ?? []
    expect(new Set(acting)).toEqual(new Set('\n'))
    const forged = said
      .split('\n')
      .filter((line) => /^\s*(error: )?forged|^\{"level":"error","event"/.test(line))
    expect(forged).toEqual([])
  })
})

const RECORDS = 1_000
const DEPTH = 100_000

/** One page with a thousand hostile users, and sessions whose names are no better. */
function hostile(target: string, body: Record<string, unknown>): string {
  const { users, sessions } = body as Record<string, Record<string, unknown>[] | undefined>
  if (target.includes('/v2/users?') && target.includes('status=active') && users !== undefined) {
    for (let at = 0; at < RECORDS; at++) users.push(record(at))
    body.total_records = users.length + 2
    users.push({ id: 'deep', email: 'deep@example.com', deep: 'DEEP' })
    // What keeps its digits calls itself for each level.
    users.push({ id: 'long', email: 'long@example.com', deep: 'DEEP', number: 'LONG' })
    const text = JSON.stringify({ ...body, constructor: { prototype: { polluted: 1 } } })
    return text
      .replaceAll('"DEEP"', '['.repeat(DEPTH) + ']'.repeat(DEPTH))
      .replace('"LONG"', '12345678901234567890')
      .replaceAll('"@proto"', '"__proto__"')
  }
  if (target.includes('/v2/whiteboards/sessions?') && sessions?.[0] !== undefined)
    for (const at of FORGING) sessions.push({ ...sessions[0], id: `${at}${HOSTILE[at]}` })
  return JSON.stringify(body)
}

/** The sessions that were put in are refused in words as bad as their names: failed slices are told. */
function refuse(target: string, _request: unknown, response: ServerResponse): boolean {
  if (!/^\/v2\/whiteboards\/sessions\/\d+[^?]*forged/.test(target)) return false
  const message = HOSTILE.filter((text) => text.includes('forged')).join('')
  response.writeHead(422, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ code: 7, message }))
  return true
}

const FORGING = HOSTILE.flatMap((text, at) => (text.includes('forged') ? [at] : []))

function record(at: number): Record<string, unknown> {
  const pick = (shift: number): string => HOSTILE[(at * 7 + shift * 11) % HOSTILE.length] ?? ''
  return {
    id: `hostile ${at} ${pick(0).slice(0, 400)}`,
    email: `${pick(1)}@example.com`,
    first_name: pick(2),
    last_name: pick(3),
    dept: pick(4),
    job_title: pick(5),
    type: pick(6),
    created_at: pick(7),
    pmi: pick(8),
    [pick(9) === '__proto__' ? '@proto' : pick(9).slice(0, 200)]: { polluted: pick(10) },
    '@proto': { polluted: 1, id: 'x' },
    constructor: { prototype: { polluted: 1 } },
    toString: pick(11),
    valueOf: null,
    hasOwnProperty: [1],
  }
}
