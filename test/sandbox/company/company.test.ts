import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { oauthCaller, videoCaller } from '../caller.ts'

const NOW_MS = Date.parse('2026-06-10T09:00:00Z')

describe('the sandbox’s company', () => {
  it('has bad audio in one team for one week of the last full month', async () => {
    const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: { users: 100 } })
    const shares = { week: share(), month: share() }
    for await (const row of sandbox.truth('session_reports')) {
      const day = String(row.start_time).slice(0, 10)
      if (!day.startsWith('2026-05') || row.audio_quality === null) continue
      const team = String(row.session_key).startsWith('sales-emea-')
      // The second full week of May 2026 begins on Monday the 11th.
      const inWeek = team && day >= '2026-05-11' && day <= '2026-05-17'
      const of = inWeek ? shares.week : shares.month
      of.all++
      if (row.audio_quality === 'bad' || row.audio_quality === 'poor') of.low++
    }
    expect(shares.week.all).toBeGreaterThan(40)
    expect(shares.week.low / shares.week.all).toBeGreaterThan(0.6)
    expect(shares.month.low / shares.month.all).toBeLessThan(0.12)
    await sandbox.close()
  })

  it('meets mostly on weekdays, and has about as many rows as the default sizes say', async () => {
    const sandbox = await startSandbox({ nowMs: NOW_MS })
    let weekend = 0
    for await (const row of sandbox.truth('session_reports'))
      if ([0, 6].includes(new Date(String(row.start_time)).getUTCDay())) weekend++
    expect(weekend / 30_000).toBeLessThan(0.1)
    const counts: Record<string, number> = {}
    for (const stream of [
      'whiteboard_activities',
      'recording_sessions',
      'phone_number_assignments',
    ])
      counts[stream] = await count(sandbox, stream)
    expect(counts.whiteboard_activities).toBeGreaterThan(36_000)
    expect(counts.whiteboard_activities).toBeLessThan(44_000)
    expect(counts.recording_sessions).toBe(10_000)
    expect(counts.phone_number_assignments).toBeGreaterThan(3_000)
    await sandbox.close()
  })

  it('links recordings to the sessions marked as recorded', async () => {
    const sandbox = await startSandbox({ nowMs: NOW_MS, sizes: { sessions: 900, recordings: 250 } })
    const recorded = new Set<unknown>()
    for await (const row of sandbox.truth('session_reports'))
      if (row.has_recording === true) recorded.add(row.id)
    expect(recorded.size).toBe(250)
    for await (const row of sandbox.truth('recording_sessions'))
      expect(recorded.has(row.session_id)).toBe(true)
    await sandbox.close()
  })

  it('with a million users needs little memory, and returns a late page quickly', async () => {
    const sizes = { users: 1_000_000, sessions: 1_000_000, numbers: 1_000_000 }
    const heapBefore = process.memoryUsage().heapUsed
    const sandbox = await startSandbox({ nowMs: NOW_MS, sizes })
    const caller = await oauthCaller(sandbox)
    const startedMs = performance.now()
    const deep = await caller.get('/users', { page_size: '300', page_number: '2000' })
    expect(deep.body.users).toHaveLength(300)
    const query = { type: 'past', from: '2026-03-01', to: '2026-03-31', page_size: '300' }
    const { body } = await videoCaller(sandbox).get('/videosdk/sessions', query)
    expect(body.sessions).toHaveLength(300)
    expect(performance.now() - startedMs).toBeLessThan(1_000)
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(60 * 2 ** 20)
    await sandbox.close()
  })
})

describe('the sandbox as a process', () => {
  it('prints one line when ready, answers, and ends when its standard input closes', async () => {
    const options = { nowMs: NOW_MS, sizes: { users: 40 } }
    const child = spawn(process.execPath, [
      'sandbox/server/main.ts',
      JSON.stringify(options),
      '--seed=4',
    ])
    const lines = createInterface({ input: child.stdout })
    const [line] = (await once(lines, 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const text = await (await fetch(`${url}/__sandbox/truth/users`)).text()
    expect(text.trim().split('\n')).toHaveLength(40)
    const unknown = await fetch(`${url}/__sandbox/truth/nothing`)
    expect(unknown.status).toBe(500)
    child.stdin.end()
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(0)
  })
})

function share(): { all: number; low: number } {
  return { all: 0, low: 0 }
}

async function count(sandbox: Sandbox, stream: string): Promise<number> {
  let rows = 0
  for await (const _ of sandbox.truth(stream)) rows++
  return rows
}
