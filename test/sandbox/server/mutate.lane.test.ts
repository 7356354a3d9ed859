import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StreamChange } from '../../../sandbox/server/mutate.ts'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import type { Stream } from '../../../src/core/define/stream.ts'
import { declaredStreams } from '../../../src/resources/declared.ts'
import { oauthCaller } from '../caller.ts'
import { byKey, type Row, readStream, truthRows } from '../read-stream.ts'
import { SMALL_SIZES, WIDE_QUOTAS } from '../sizes.ts'

// Small numbers, because the tests request details one by one, several times over.
const sizes = { ...SMALL_SIZES, users: 600, numbers: 400, recordings: 400 }
const options = { seed: 3, nowMs: Date.parse('2026-06-10T09:00:00Z'), sizes, quotas: WIDE_QUOTAS }
let directory: string
let sandbox: Sandbox

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandbox-'))
  sandbox = await startSandbox({ ...options, stateFile: join(directory, 'state.json') })
})
afterAll(async () => {
  await sandbox.close()
  await rm(directory, { recursive: true })
})

describe('a mutation of the sandbox', () => {
  it('returns the exact number of changes per stream, and the lists show them', async () => {
    const before = await withContents(sandbox, await allTruth(sandbox))
    const changes = sandbox.mutate({ seed: 5, scale: 3 })
    const then = await withContents(sandbox, await allTruth(sandbox))
    for (const stream of declaredStreams) {
      const after = byKey(stream, await truthRows(sandbox, stream))
      expect({ [stream.name]: changes[stream.name] }).toEqual({
        [stream.name]: difference(stream, payloads(stream, before), payloads(stream, then)),
      })
      expect(byKey(stream, await readStream(sandbox, stream))).toEqual(after)
    }
    const touched = Object.values(changes).filter(({ inserted, updated }) => inserted + updated > 0)
    expect(touched.length).toBeGreaterThan(9)
    expect(changes.session_reports?.deleted).toBe(0)
    expect(changes.users?.deleted).toBeGreaterThan(2)
  })

  it('changes only sessions on days that a nightly sync reads again', async () => {
    const own = await startSandbox({ ...options, seed: 8 })
    const before = await allTruth(own)
    own.mutate({ scale: 5 })
    own.mutate({ scale: 5 })
    for (const [name, days] of Object.entries({ session_reports: 60, whiteboard_sessions: 9 })) {
      const since = new Date(options.nowMs - days * 86_400_000).toISOString()
      const old = new Set(before.get(name)?.map((row) => JSON.stringify(row)))
      const stream = declaredStreams.find((candidate) => candidate.name === name)
      if (stream === undefined) throw new Error(`no stream ${name}`)
      const fresh = byKey(stream, await truthRows(own, stream)).filter(
        (row) => !old.has(JSON.stringify(row)),
      )
      expect(fresh.length).toBeGreaterThan(2)
      for (const row of fresh) expect(String(row.start_time) > since).toBe(true)
    }
    await own.close()
  })

  it('is still there in the next run of the same company', async () => {
    const again = await startSandbox({ ...options, stateFile: join(directory, 'state.json') })
    try {
      for (const stream of declaredStreams)
        expect(await truthRows(again, stream)).toEqual(await truthRows(sandbox, stream))
    } finally {
      await again.close()
    }
  })

  it('makes exactly the changes requested over HTTP', async () => {
    const caller = await oauthCaller(sandbox)
    const { body } = await caller.get('/users', { page_size: '2' })
    const [first, second] = body.users as { id: string }[]
    const ops = [
      { kind: 'users', action: 'remove', id: first?.id },
      { kind: 'users', action: 'change', id: second?.id, patch: { status: 'inactive' } },
      { kind: 'numbers', action: 'add' },
    ]
    const response = await fetch(`${sandbox.url}/__sandbox/mutate`, {
      method: 'POST',
      body: JSON.stringify({ ops }),
    })
    expect(await response.json()).toMatchObject({
      users: { inserted: 0, updated: 1, deleted: 1 },
      phone_numbers: { inserted: 1, updated: 0, deleted: 0 },
      recording_sessions: { inserted: 0, updated: 0, deleted: 0 },
    })
    const detail = await caller.get(`/users/${first?.id ?? ''}`)
    expect([404, 400]).toContain(detail.status)
    expect(['1001', '1120']).toContain(String(detail.body.code))
    expect((await caller.get(`/users/${second?.id ?? ''}`)).body.status).toBe('inactive')
  })

  it('shifts later pages of an offset list, but not of a snapshot list', async () => {
    const seen = []
    for (const paging of ['live-offset', 'snapshot'] as const) {
      const own = await startSandbox({ ...options, sizes: { users: 200 }, readings: { paging } })
      const caller = await oauthCaller(own)
      const { body } = await caller.get('/users', { page_size: '100' })
      own.mutate({ ops: [{ kind: 'users', action: 'remove', index: 0 }] })
      const next_page_token = String(body.next_page_token)
      const next = await caller.get('/users', { page_size: '100', next_page_token })
      seen.push((next.body.users as unknown[]).length)
      await own.close()
    }
    expect(seen).toEqual([59, 60])
  })
})

async function allTruth(from: Sandbox): Promise<Map<string, Row[]>> {
  const all = new Map<string, Row[]>()
  for (const stream of declaredStreams)
    all.set(stream.name, byKey(stream, await truthRows(from, stream)))
  return all
}

/** Adds the responses of the detail calls to the rows, because some of their fields are in no column. */
async function withContents(from: Sandbox, all: Map<string, Row[]>): Promise<Map<string, Row[]>> {
  const caller = await oauthCaller(from)
  for (const [name, pathOf] of Object.entries(DETAILS)) {
    const rows: Row[] = []
    for (const row of all.get(name) ?? []) {
      const { body } = await caller.get(pathOf(row))
      rows.push({ ...row, payload: JSON.stringify(body) })
    }
    all.set(name, rows)
  }
  return all
}

const DETAILS: Readonly<Record<string, (row: Row) => string>> = {
  sms_consent_details: ({ consent_id }) => `/number_management/sms_consent/${String(consent_id)}`,
  whiteboard_content: (row) => `/whiteboards/${String(row.whiteboard_id)}/content`,
  user_details: (row) => `/users/${String(row.id)}`,
  phone_number_details: (row) => `/number_management/numbers/${String(row.id)}`,
  ported_order_details: (row) => `/number_management/ported_numbers/orders/${String(row.order_id)}`,
}

/** Returns a stream's rows. Adds to each phone number its assignments, which its payload contains too. */
function payloads({ name }: Stream, truth: ReadonlyMap<string, readonly Row[]>): readonly Row[] {
  const rows = truth.get(name) ?? []
  if (name !== 'phone_numbers') return rows
  const assignments = Map.groupBy(
    truth.get('phone_number_assignments') ?? [],
    (row) => row.phone_number_id,
  )
  return rows.map((row) => ({ ...row, assignments: JSON.stringify(assignments.get(row.id)) }))
}

function difference(stream: Stream, before: readonly Row[], after: readonly Row[]): StreamChange {
  const key = (row: Row): string => JSON.stringify(stream.key.map((name) => row[name]))
  const old = new Map(before.map((row) => [key(row), JSON.stringify(row)]))
  const change = { inserted: 0, updated: 0, deleted: 0 }
  for (const row of after) {
    const was = old.get(key(row))
    if (was === undefined) change.inserted++
    else if (was !== JSON.stringify(row)) change.updated++
    old.delete(key(row))
  }
  return { ...change, deleted: old.size }
}
