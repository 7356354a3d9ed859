import { describe, expect, it } from 'vitest'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { BusyError } from '../../../src/core/errors.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import type { Ending } from '../../../src/core/time/ending.ts'
import type { Attempt } from '../../../src/core/time/next-start.ts'
import { dispatchByQueue } from '../../../src/serve/queue/dispatch-by-queue.ts'
import type { DispatcherDeps, Work } from '../../../src/serve/queue/dispatcher.ts'
import { openQueue } from '../../../src/serve/queue/queue.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'
import { useWarehouse } from '../../helpers/database.ts'

let warehouse: Warehouse
useWarehouse((one) => (warehouse = one), { poolSize: 20 })

const yearly: Work = { account: 'a', job: 'users', schedule: '0 0 1 1 *', timezone: 'UTC' }
const works = ['a', 'b', 'c'].flatMap((account) =>
  ['users', 'recordings'].map((job) => ({ ...yearly, account, job })),
)
const done: Ending = { kind: 'done' }

describe('machines that share a queue', () => {
  it('run each due task once, and one task at a time per account', async () => {
    const atWork = new Set<string>()
    const ran = await share(works, async ({ account }) => {
      expect(atWork.has(account)).toBe(false)
      atWork.add(account)
      await systemClock.sleep(20)
      atWork.delete(account)
      return done
    })
    expect(ran.toSorted()).toEqual(works.map(nameOf).toSorted())
  })

  it('start no more tasks of an account that another process works on', async () => {
    const mine = works.filter(({ account }) => account !== 'c')
    const ran = await share(mine, async ({ account }) => {
      await Promise.resolve()
      if (account === 'a') throw new BusyError('busy', { tried: 'Syncing', came: 'one does' })
      return done
    })
    expect(ran.filter((name) => name.startsWith('b')).toSorted()).toEqual([
      'b recordings',
      'b users',
    ])
    const asked = ran.filter((name) => name.startsWith('a'))
    // Each of the two machines tries at most once.
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  it('run a job before the jobs that depend on it', async () => {
    const details = { job: 'user-details', schedule: '0 0 1 12 *', after: ['users'] }
    const ran = await share(
      ['a', 'b'].flatMap((account) => [
        { ...yearly, account, ...details },
        { ...yearly, account, schedule: '0 0 2 12 *' },
      ]),
      async () => await Promise.resolve(done),
    )
    for (const account of ['a', 'b'])
      expect(ran.filter((name) => name.startsWith(account))).toEqual([
        `${account} users`,
        `${account} user-details`,
      ])
  })

  it('run yielding tasks after all others', async () => {
    const report: Work = { ...yearly, job: 'report', kind: 'report' }
    const ran = await share([report, ...works.slice(0, 2)], async () => await Promise.resolve(done))
    expect(ran.at(-1)).toBe('a report')
    expect(ran).toHaveLength(3)
  })
})

/** Runs two machines with a shared ledger until nothing is left to do. */
async function share(
  due: readonly Work[],
  run: (work: Work) => Promise<Ending>,
): Promise<string[]> {
  const ledger = new Map<string, Attempt[]>()
  const ran: string[] = []
  const stop = new AbortController()
  const idle = { looks: 0 }
  const deps: Omit<DispatcherDeps, 'queue'> = {
    // Short waits, so that the test is fast.
    clock: { ...systemClock, alarm: (ms, ring) => systemClock.alarm(ms / 150, ring) },
    observer: silentObserver,
    accountsAtOnce: 2,
    attempts: async (asked) =>
      await Promise.resolve(asked.map((work) => ledger.get(nameOf(work)) ?? [])),
    run: async (work) => {
      idle.looks = 0
      ran.push(nameOf(work))
      const startedMs = systemClock.now()
      const ending = await run(work)
      const ended = { startedMs, endedMs: systemClock.now(), ending }
      ledger.set(nameOf(work), [...(ledger.get(nameOf(work)) ?? []), ended])
      return ending
    },
    // Stops once neither has started anything for several checks.
    beat: () => void (++idle.looks > 24 && stop.abort()),
  }
  await Promise.all(
    [1, 2].map(async () => {
      const settings = { pollSeconds: 0.5, heartbeatSeconds: 10 }
      const queue = await openQueue({ warehouse, observer: silentObserver }, settings)
      await dispatchByQueue({ ...deps, queue }, due, stop.signal)
    }),
  )
  return ran
}

function nameOf({ account, job }: Pick<Work, 'account' | 'job'>): string {
  return `${account} ${job}`
}
