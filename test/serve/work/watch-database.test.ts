import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CallsheetError, LoadError } from '../../../src/core/errors.ts'
import { createWebhook } from '../../../src/serve/alerts/webhook.ts'
import { type DatabaseWatch, watchDatabase } from '../../../src/serve/work/watch-database.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { startHookServer } from '../alerts/hook-server.ts'

const MINUTE_MS = 60_000
let hook: Awaited<ReturnType<typeof startHookServer>>
beforeEach(async () => {
  hook = await startHookServer()
})
afterEach(() => hook.close())

/** Watches a database whose availability the test sets. */
function watched() {
  const clock = manualClock(Date.parse('2026-07-08T02:00:00Z'))
  const state: { there: boolean | CallsheetError } = { there: true }
  const stop = new AbortController()
  const events: string[] = []
  const webhook = { setting: 'alerts.webhook', url: () => hook.url, form: 'json' as const }
  let sleeps = 0
  const watch: DatabaseWatch = {
    database: undefined,
    clock: {
      ...clock,
      sleep(ms, signal) {
        sleeps++
        return clock.sleep(ms, signal)
      },
    },
    observer: { event: (name) => void events.push(name) },
    ping: async () => await Promise.resolve(state.there),
    channels: async () =>
      await Promise.resolve([createWebhook({ ...webhook, timeoutMs: 5_000 }, { clock })]),
    remindMs: 24 * 60 * MINUTE_MS,
  }
  const ended = watchDatabase(watch, stop.signal)
  const told = (): string[] =>
    hook.taken.flatMap(({ body }) => {
      const { alerts } = JSON.parse(body) as { alerts: { event: string; code: string }[] }
      return alerts.map(({ event, code }) => `${event} ${code}`)
    })
  /** Advances the clock by minutes; waits each time until the watch sleeps again, and so has sent all. */
  const pass = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute++) {
      const before = sleeps
      await clock.advance(MINUTE_MS)
      while (sleeps === before) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const end = async (): Promise<void> => {
    stop.abort()
    await clock.advance(MINUTE_MS)
    await ended
  }
  return { state, told, events, pass, end }
}

it('the service alerts once if the database is down for five minutes, and once when it is back', async () => {
  const { state, told, pass, end } = watched()
  await pass(10)
  expect(told()).toEqual([])
  state.there = false
  await pass(5)
  expect(told()).toEqual([])
  await pass(30)
  expect(told()).toEqual(['new database_away'])
  state.there = true
  await pass(10)
  expect(told()).toEqual(['new database_away', 'recovered database_away'])
  await end()
})

it('a database restart causes no alert, and a lasting outage causes one each day', async () => {
  const { state, told, pass, end } = watched()
  state.there = false
  await pass(3)
  state.there = true
  await pass(10)
  expect(told()).toEqual([])
  state.there = false
  await pass(26 * 60)
  expect(told()).toEqual(['new database_away', 'reminder database_away'])
  await end()
})

it('a database alert that a channel failed to send is sent again at the next check', async () => {
  const { state, told, events, pass, end } = watched()
  hook.state.answer = 500
  state.there = false
  await pass(8)
  expect(events).toContain('alert failed')
  const tries = told().length
  expect(tries).toBeGreaterThan(1)
  hook.state.answer = 200
  await pass(5)
  expect(told()).toHaveLength(tries + 1)
  await end()
})

it('a database alert gives the reason, the remedy and the duration of the outage', async () => {
  const { state, told, pass, end } = watched()
  state.there = new LoadError('database_unreachable', {
    tried: 'connecting',
    came: 'connect ECONNREFUSED 192.0.2.1:5432',
    todo: 'check that the database is up',
  })
  await pass(10)
  state.there = true
  await pass(3)
  expect(told()).toEqual(['new database_away', 'recovered database_away'])
  const texts = hook.taken.map(({ body }) => (JSON.parse(body) as { text: string }).text)
  expect(texts[0]).toContain(
    ' (connect ECONNREFUSED 192.0.2.1:5432): its accounts are not synced. ' +
      'Check that the database is up. (for 5 min)',
  )
  expect(texts[1]).toMatch(/^- the database is reachable from \S+ again \(away for \d+ min\)\.$/m)
  await end()
})

it('a database alert gives the reason if the database responds but is unusable', async () => {
  const { state, pass, end } = watched()
  state.there = new LoadError('schema_newer', {
    tried: 'migrating the database',
    came: 'migration 0099_later is unknown',
    todo: 'use the version that last migrated this database',
  })
  await pass(10)
  const texts = hook.taken.map(({ body }) => (JSON.parse(body) as { text: string }).text)
  expect(texts[0]).toMatch(
    /^- Callsheet on \S+ cannot use its database: migrating the database: migration 0099_later is /m,
  )
  await end()
})
