import { describe, expect, it } from 'vitest'
import { BusyError } from '../../../src/core/errors/errors.ts'
import { frozenClock, systemClock } from '../../../src/core/time/clock.ts'
import { accountQueues } from '../../../src/engine/dispatch/account-queues.ts'
import { checkSchedule, lastDue } from '../../../src/engine/dispatch/due-times.ts'
import {
  type Entry,
  runSchedule,
  type ScheduleDependencies,
} from '../../../src/engine/dispatch/schedule.ts'

const at = (text: string): number => Date.parse(text)
const nightly: Entry = { account: 'main', job: 'users', schedule: '0 1 * * *', timezone: 'UTC' }
const now = at('2026-05-10T12:00:30Z')

describe('the last due time', () => {
  it.each([
    ['0 1 * * *', 'UTC', '2026-05-10T01:00:00Z'],
    ['0 13 * * *', 'UTC', '2026-05-09T13:00:00Z'],
    ['0 1 * * *', 'Europe/Berlin', '2026-05-09T23:00:00Z'],
    ['0 0 1 * *', 'UTC', '2026-05-01T00:00:00Z'],
    ['0 12 * * *', 'UTC', '2026-05-10T12:00:00Z'],
    ['30 2 * * mon', 'America/New_York', '2026-05-04T06:30:00Z'],
  ])('of %s in %s was %s', (schedule, timezone, expected) => {
    expect(lastDue({ schedule, timezone }, now)).toBe(at(expected))
  })

  it('of a wrong expression is a configuration error that names the job', () => {
    expect(() => checkSchedule('users', { schedule: '61 * * * *', timezone: 'UTC' })).toThrow(
      /schedule of job users.*minute/,
    )
    expect(() => checkSchedule('users', { schedule: '0 0 31 2 *', timezone: 'UTC' })).toThrow(
      /impossible day/,
    )
  })
})

describe('an account’s lane', () => {
  it('does one thing at a time, and other accounts beside it', async () => {
    const lanes = accountQueues()
    const trace: string[] = []
    const gates = { a1: gate(), a2: gate(), b1: gate() }
    const work = (name: keyof typeof gates) => async () => {
      trace.push(`${name} begins`)
      await gates[name].opened
      trace.push(`${name} ends`)
    }
    void lanes.enqueue('a', 'first', work('a1'))
    void lanes.enqueue('a', 'second', work('a2'))
    void lanes.enqueue('b', 'first', work('b1'))
    await settled()
    expect(trace).toEqual(['a1 begins', 'b1 begins'])
    for (const { open } of Object.values(gates)) open()
    await lanes.idle()
    expect(trace).toEqual(['a1 begins', 'b1 begins', 'a1 ends', 'b1 ends', 'a2 begins', 'a2 ends'])
  })

  it('does not queue what is already waiting or running, and goes on after a failure', async () => {
    const lanes = accountQueues()
    let runs = 0
    const fail = async () => {
      runs++
      throw new Error('broken')
    }
    const both = [lanes.enqueue('a', 'x', fail), lanes.enqueue('a', 'x', fail)]
    await Promise.allSettled(both)
    expect(runs).toBe(1)
    await expect(lanes.enqueue('a', 'x', async () => void runs++)).resolves.toBeUndefined()
    expect(runs).toBe(2)
  })
})

describe('the schedule', () => {
  it('catches up at the start what was due since its last run, and nothing else', async () => {
    const seen = await start(
      [nightly, { ...nightly, job: 'recordings' }, { ...nightly, job: 'numbers' }],
      {
        lastStarted: async ({ job }) =>
          ({ users: at('2026-05-09T01:00:00Z'), recordings: at('2026-05-10T01:00:01Z') })[job],
      },
    )
    expect(seen.ran).toEqual(['users', 'numbers'])
  })

  it('says when a job failed or the account is busy, and goes on', async () => {
    const seen = await start(
      [nightly, { ...nightly, job: 'recordings' }, { ...nightly, job: 'numbers' }],
      {
        run: async ({ job }) => {
          if (job === 'users')
            throw new BusyError('busy', { tried: 'Syncing', came: 'process 1 does' })
          if (job === 'recordings') throw new Error('broken')
        },
      },
    )
    expect(seen.events).toContain('job skipped, account busy users')
    expect(seen.events).toContain('job failed recordings')
    expect(seen.events).toContain('job ended numbers')
  })

  it('runs a job when its second comes, without overlap, and stops at the signal', async () => {
    const everySecond = { ...nightly, schedule: '* * * * * *' }
    const controller = new AbortController()
    const ran: number[] = []
    const running = runSchedule(
      {
        ...quiet,
        clock: systemClock,
        lastStarted: async () => Date.now(),
        run: async () => {
          ran.push(Date.now())
          controller.abort()
        },
      },
      [everySecond],
      controller.signal,
    )
    await running
    expect(ran).toHaveLength(1)
    expect((ran[0] ?? 0) % 1000).toBeLessThan(300)
  })

  it('waits for the running job to end cleanly, and starts no other, once the signal came', async () => {
    const controller = new AbortController()
    const trace: string[] = []
    await runSchedule(
      {
        ...quiet,
        lastStarted: async () => undefined,
        run: async ({ job }, signal) => {
          trace.push(`${job} begins`)
          setImmediate(() => controller.abort())
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          await settled()
          trace.push(`${job} ends`)
        },
      },
      [nightly, { ...nightly, job: 'recordings' }],
      controller.signal,
    )
    expect(trace).toEqual(['users begins', 'users ends'])
  })
})

const quiet: ScheduleDependencies = {
  clock: frozenClock(now),
  observer: { event: () => {} },
  lastStarted: async () => undefined,
  run: async () => {},
}

/** Starts the schedule and stops it once what was overdue has run. */
async function start(entries: readonly Entry[], parts: Partial<ScheduleDependencies>) {
  const seen = { ran: [] as string[], events: [] as string[] }
  const controller = new AbortController()
  const observer = {
    event: (name: string, { job }: Record<string, unknown>) =>
      void seen.events.push(`${name} ${String(job)}`),
  }
  const run: ScheduleDependencies['run'] = async (entry, signal) => {
    seen.ran.push(entry.job)
    await parts.run?.(entry, signal)
  }
  const running = runSchedule({ ...quiet, ...parts, observer, run }, entries, controller.signal)
  for (let turn = 0; turn < 10; turn++) await settled()
  controller.abort()
  await running
  return seen
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
