import { expect, it } from 'vitest'
import { QUOTA_PRESETS } from '../../src/core/define/quota.ts'
import { RateLimitedError } from '../../src/core/errors.ts'
import { eventClock } from './event-clock.ts'
import { governorOf, NOON } from './governor-under-test.ts'

/** The seconds that eight callers need for their calls, which stay far below the quota. */
async function secondsFor(calls: number, refusedCalls: readonly number[]): Promise<number> {
  const clock = eventClock(NOON)
  const governor = governorOf({ quotas: QUOTA_PRESETS.business, clock })
  let sent = 0
  let answered = 0
  const call = async (): Promise<void> => {
    const refused = refusedCalls.includes(++sent)
    await clock.sleep(400)
    if (refused) throw new RateLimitedError('rate', clock.now() + 1_000, PASSING)
    answered++
  }
  const caller = async (): Promise<void> => {
    while (answered < calls) {
      await governor.run('LIGHT', undefined, call).catch((error: unknown) => {
        if (!(error instanceof RateLimitedError)) throw error
      })
    }
  }
  await clock.until(Promise.all(Array.from({ length: 8 }, caller)))
  return clock.elapsed() / 1_000
}

const PASSING = { tried: 'a call of the test', came: 'refused for no reason' }

it('temporary 429s far below a known quota cost under two seconds each', async () => {
  const undisturbed = await secondsFor(800, [])
  expect(undisturbed).toBeGreaterThan(39)
  const refusedCalls = [5, 15, 30, 200, 205]
  expect(await secondsFor(800, refusedCalls)).toBeLessThan(undisturbed + 5 * 2)
})
