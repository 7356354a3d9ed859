import { describe, expect, it } from 'vitest'
import { BusyError, ConfigurationError, LoadError } from '../../../src/core/errors.ts'
import type { Ending } from '../../../src/core/time/ending.ts'
import type { Attempt } from '../../../src/core/time/next-start.ts'
import type { Work } from '../../../src/serve/queue/dispatcher.ts'
import type { ManualClock } from '../../helpers/manual-clock.ts'
import { at, drive, MINUTE_MS } from './drive.ts'

const HOUR_MS = 60 * MINUTE_MS
const nightly: Work = { account: 'main', job: 'users', schedule: '0 1 * * *', timezone: 'UTC' }
const recordings: Work = { ...nightly, job: 'recordings' }
const done: Ending = { kind: 'done' }
const INTERRUPTED: Ending = { kind: 'interrupted' }

describe('the dispatcher', () => {
  it('starts only the overdue tasks at first', async () => {
    const before = { startedMs: at('01:00'), endedMs: at('01:10'), ending: done }
    const works = [nightly, recordings, { ...nightly, job: 'numbers' }]
    const { ran } = await drive(works, { known: { recordings: [before] } })
    expect(ran).toEqual(['12:00 main users', '12:00 main numbers'])
  })

  it('starts a task at its due time, even between two checks', async () => {
    const before = { startedMs: at('11:00'), endedMs: at('11:10'), ending: done }
    const starts: number[] = []
    const run = async (_work: Work, clock: ManualClock): Promise<Ending> => {
      starts.push(clock.now())
      return await Promise.resolve(done)
    }
    const work = { ...nightly, schedule: '7 1 12 * * *' }
    await drive([work], { known: { users: [before] }, run, forMs: 2 * MINUTE_MS })
    expect(starts).toEqual([at('12:01') + 7_000])
  })

  it('starts interrupted tasks before the others', async () => {
    const killed: Attempt = {
      startedMs: at('01:05'),
      endedMs: at('01:05'),
      ending: { kind: 'interrupted' },
    }
    const { ran } = await drive([nightly, recordings], { known: { recordings: [killed] } })
    expect(ran).toEqual(['12:00 main recordings', '12:00 main users'])
  })

  it.each([
    ['due earlier', []],
    ['interrupted', [{ startedMs: at('05:00'), endedMs: at('05:00'), ending: INTERRUPTED }]],
  ])(
    'runs the jobs that a task depends on before the task, even if the task was %s',
    async (_was, details) => {
      const works = [
        { ...nightly, job: 'details', schedule: '40 0 * * *', after: ['users', 'numbers', 'off'] },
        { ...nightly, job: 'numbers', schedule: '0 3 * * *' },
        { ...nightly, after: ['groups'] },
        { ...nightly, job: 'groups', schedule: '0 11 * * *' },
      ]
      const { ran } = await drive(works, { known: { details } })
      const ordered = ['groups', 'users', 'numbers', 'details'].map((job) => `12:00 main ${job}`)
      expect(ran).toEqual(ordered)
    },
  )

  it('starts a task although its parent job failed, or waits for this task itself', async () => {
    const works = [
      { ...nightly, job: 'details', after: ['users'] },
      { ...nightly, after: ['details'] },
    ]
    const run = async ({ job }: Work): Promise<Ending> =>
      job === 'users' ? { kind: 'again' } : done
    const { ran } = await drive(works, { run })
    expect(ran.toSorted()).toEqual(['12:00 main details', '12:00 main users'])
  })

  it('retries a failed task until it completes, and then waits for its next due time', async () => {
    let tries = 0
    const run = async (): Promise<Ending> => {
      tries++
      if (tries === 1) throw new LoadError('unreachable', { tried: 'Reading', came: 'no database' })
      return tries === 2 ? { kind: 'again' } : done
    }
    const { ran, events, levels } = await drive([nightly], { run, forMs: 14 * HOUR_MS })
    const users = ['12:00', '12:05', '12:20', '01:00'].map((time) => `${time} main users`)
    expect(ran).toEqual(users)
    expect(events).toContain('job failed')
    expect(levels).toEqual(['warn', 'info', 'info'])
  })

  it('logs why a task is not done, that it will be retried, and the number of the attempt', async () => {
    let tries = 0
    const reason = 'run 7 is incomplete: one slice failed'
    const run = async () => (++tries === 1 ? { kind: 'again' as const, reason } : done)
    const { ended } = await drive([nightly], { run, forMs: HOUR_MS })
    expect(ended).toEqual([
      { attempt: 1 },
      { status: 'will retry', reason },
      { attempt: 2 },
      { status: 'done', reason: undefined },
    ])
  })

  it('does not retry a task that needs a person', async () => {
    const run = async (): Promise<Ending> => {
      throw new ConfigurationError('wrong', { tried: 'Opening the account', came: 'no secret' })
    }
    const { ran } = await drive([nightly], { run, forMs: 12 * HOUR_MS })
    expect(ran).toEqual(['12:00 main users'])
  })

  it('retries a failed task that needs a person after a restart, unless it awaits an approval', async () => {
    const times = {
      startedMs: at('01:00'),
      endedMs: at('01:01'),
      ending: { kind: 'person' } as Ending,
    }
    const known = { users: [{ ...times, failed: true }], recordings: [times] }
    const run = async (): Promise<Ending> => await Promise.resolve({ kind: 'person' })
    const { ran } = await drive([nightly, recordings], { known, run, forMs: 12 * HOUR_MS })
    expect(ran).toEqual(['12:00 main users'])
  })

  it.each([
    [
      'another process works on the account',
      () => new BusyError('busy', { tried: 'x', came: 'y' }),
    ],
    ['the database is down, even repeatedly', away],
  ])('tries again a minute later while %s', async (_why, fault) => {
    let tries = 0
    const run = async (): Promise<Ending> => {
      if (++tries <= 3) throw fault()
      return done
    }
    const { ran, events } = await drive([nightly], { run, forMs: 10 * MINUTE_MS })
    expect(ran).toEqual(['12:00', '12:01', '12:02', '12:03'].map((time) => `${time} main users`))
    expect(events).not.toContain('job failed')
  })

  it('waits at its start until the database is available', async () => {
    let looks = 0
    const attempts = async (works: readonly Work[]) => {
      if (++looks <= 2) throw away()
      return works.map(() => [])
    }
    const { ran } = await drive([nightly], { attempts, forMs: 2 * MINUTE_MS })
    expect(ran).toEqual(['12:00 main users'])
  })

  it('does not run a task that another process has meanwhile completed', async () => {
    const others: Attempt[] = []
    const run = async ({ job }: Work): Promise<Ending> => {
      if (job === 'recordings')
        others.push({ startedMs: at('12:00'), endedMs: at('12:01'), ending: done })
      return done
    }
    const { ran } = await drive([recordings, nightly], { run, known: { users: others } })
    expect(ran).toEqual(['12:00 main recordings'])
  })

  it('runs one task at a time per account, and limits the concurrent accounts', async () => {
    const works = ['a', 'b', 'c'].flatMap((account) =>
      ['users', 'recordings'].map((job) => ({ ...nightly, account, job })),
    )
    const atWork: string[] = []
    let most = 0
    const run = async ({ account }: Work, clock: ManualClock): Promise<Ending> => {
      expect(atWork).not.toContain(account)
      atWork.push(account)
      most = Math.max(most, atWork.length)
      await clock.sleep(MINUTE_MS)
      atWork.splice(atWork.indexOf(account), 1)
      return done
    }
    const { ran } = await drive(works, { run, forMs: HOUR_MS })
    expect(ran).toHaveLength(6)
    expect(most).toBe(2)
  })

  it('starts a yielding task only if no other task waits for a slot', async () => {
    const rules = { schedule: '0 0 1 * *', kind: 'report' as const }
    const report = { ...nightly, account: 'a', job: 'report', ...rules }
    const works = [report, ...['a', 'b', 'c'].map((account) => ({ ...nightly, account }))]
    const run = async (_work: Work, clock: ManualClock): Promise<Ending> => {
      await clock.sleep(MINUTE_MS)
      return done
    }
    const { ran } = await drive(works, { run, forMs: 10 * MINUTE_MS })
    expect(ran.map((one) => one.split(' ').slice(1).join(' '))).toEqual([
      'a users',
      'b users',
      'c users',
      'a report',
    ])
  })

  it('completes a yielding task without a break if no other task waits for a slot', async () => {
    const names = ['users', 'a', 'b', 'c', 'd', 'e']
    const reports = names.slice(1).map((job) => ({ ...nightly, job, kind: 'report' as const }))
    const { ran } = await drive([...reports, nightly], {})
    expect(ran).toEqual(names.map((job) => `12:00 main ${job}`))
  })

  it('runs tasks that need no account lease in parallel', async () => {
    const works = [nightly, recordings, { ...nightly, job: 'verify', kind: 'task' as const }]
    const trace: string[] = []
    const run = async ({ job }: Work, clock: ManualClock): Promise<Ending> => {
      trace.push(`${job} begins`)
      await clock.sleep(MINUTE_MS)
      trace.push(`${job} ends`)
      return done
    }
    await drive(works, { run, forMs: 10 * MINUTE_MS })
    expect(trace.slice(0, 2)).toEqual(['users begins', 'verify begins'])
    expect(trace.indexOf('recordings begins')).toBeGreaterThan(trace.indexOf('users ends'))
  })

  it('finishes its running tasks after the stop signal, and starts no others', async () => {
    const trace: string[] = []
    const stop = new AbortController()
    const run = async ({ job }: Work, clock: ManualClock, signal: AbortSignal) => {
      trace.push(`${job} begins`)
      stop.abort()
      expect(signal.aborted).toBe(true)
      await clock.sleep(1)
      trace.push(`${job} ends`)
      return { kind: 'interrupted' } as const
    }
    await drive([nightly, recordings], { run, stop })
    expect(trace).toEqual(['users begins', 'users ends'])
  })
})

function away(): LoadError {
  return new LoadError('database_unreachable', { tried: 'Reading', came: 'no database' })
}
