import { describe, expect, it } from 'vitest'
import type { Governor } from '../../src/api/governor.ts'
import { type ManualClock, manualClock } from '../../src/core/clock.ts'
import { LEARN_ALL } from '../../src/core/quota.ts'
import { governorOf, NOON } from './governor-under-test.ts'
import { LIMITERS } from './limiters.ts'
import { memoryLedger } from './memory-stores.ts'

describe('learning', () => {
  const cases = Object.keys(LIMITERS).flatMap((kind) =>
    [4, 20, 80].map((calls) => [kind, calls] as const),
  )

  it.each(cases)(
    'by %s of %i: uses 0.85 after the first minute, with under 0.01 of the calls refused',
    async (kind, calls) => {
      const clock = manualClock(NOON)
      const ledger = memoryLedger()
      const governor = governorOf({ quotas: LEARN_ALL, ledger, clock, random: seeded(calls) })
      const minutes = await drive({ governor, clock, kind, calls, minutes: 3 })
      const [, second, third] = minutes
      const sent = (second?.sent ?? 0) + (third?.sent ?? 0)
      const refused = (second?.refused ?? 0) + (third?.refused ?? 0)
      expect((sent - refused) / (calls * 120)).toBeGreaterThan(0.85)
      expect(refused / sent).toBeLessThan(0.01)
      const learned = ledger.labels.get('LIGHT')?.learnedCallsPerSecond ?? 0
      expect(learned / calls).toBeGreaterThan(0.8)
      expect(learned / calls).toBeLessThan(1.1)
    },
  )

  it('starts from what was learned before', async () => {
    const clock = manualClock(NOON)
    const ledger = memoryLedger()
    await ledger.saveLearnedRate('LIGHT', 19)
    const governor = governorOf({ quotas: LEARN_ALL, ledger, clock })
    const kind = 'a sliding window'
    const [first] = await drive({ governor, clock, kind, calls: 20, minutes: 1 })
    expect(first?.sent).toBeGreaterThan(20 * 60 * 0.9)
    expect(first?.refused).toBeLessThanOrEqual(2)
  })

  it('does not take idle time for proof that a higher rate is allowed', async () => {
    const clock = manualClock(NOON)
    const ledger = memoryLedger()
    const governor = governorOf({ quotas: LEARN_ALL, ledger, clock })
    for (let call = 0; call < 100; call++) {
      await governor.run('LIGHT', undefined, async () => {})
      await clock.advance(5_000)
    }
    expect(ledger.labels.get('LIGHT')?.learnedCallsPerSecond).toBe(1)
  })
})

interface Drive {
  governor: Governor
  clock: ManualClock
  kind: string
  calls: number
  minutes: number
}

/** As many callers as there are slots, each with the next call at once, against a limiter 50 ms away. */
async function drive({ governor, clock, kind, calls, minutes }: Drive) {
  const passes = LIMITERS[kind]?.(calls, 1_000)
  const counts = Array.from({ length: minutes }, () => ({ sent: 0, refused: 0 }))
  const endMs = minutes * 60_000
  const caller = async (): Promise<void> => {
    while (clock.elapsed() < endMs) {
      await governor.run('LIGHT', undefined, call).catch(async () => {
        await governor.hold('LIGHT', clock.now() + 1_000, 'rate')
      })
    }
  }
  const call = async (): Promise<void> => {
    await clock.sleep(25)
    const count = counts[Math.floor(clock.elapsed() / 60_000)]
    const passed = passes?.(clock.elapsed()) === true
    if (count !== undefined) {
      count.sent++
      if (!passed) count.refused++
    }
    await clock.sleep(25)
    if (!passed) throw new Error('429')
  }
  const callers = Promise.all(Array.from({ length: 8 }, caller))
  const state = { done: false }
  const ended = callers.finally(() => {
    state.done = true
  })
  while (!state.done) await clock.advance(50)
  await ended
  return counts
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
