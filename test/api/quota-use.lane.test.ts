import { describe, expect, it } from 'vitest'
import { LEARN_ALL, QUOTA_PRESETS } from '../../src/core/define/quota.ts'
import { WHOLE } from '../helpers/whole.ts'
import {
  type Driven,
  driveQuota,
  governed,
  meanUsed,
  type Pressed,
  type QuotaDrive,
  refusedPerChange,
  sum,
} from './drive-quota.ts'
import { eventClock } from './event-clock.ts'
import { governorOf, NOON } from './governor-under-test.ts'
import { LIMITERS } from './limiters.ts'
import { memoryLedger } from './memory-stores.ts'

const WAY = { leastMs: 10, jitterMs: 10, workMs: 60 }
const TWENTY: Pressed = { label: 'HEAVY', calls: 20, perMs: 1_000 }
const EIGHTY: Pressed = { label: 'LIGHT', calls: 80, perMs: 1_000 }
const KNOWN = { ...QUOTA_PRESETS.business, HEAVY: { perSecond: 20, pool: 'H' } }
/** Seeds of the drives beside other apps. One drive's result depends much on chance. */
const SHARED_SEEDS = WHOLE ? [7, 107, 207, 307] : [7]
const kinds = Object.keys(LIMITERS)

function drive(options: Pick<QuotaDrive, 'kind' | 'starter' | 'minutes'> & Partial<QuotaDrive>) {
  return driveQuota({ labels: [EIGHTY, TWENTY], latency: WAY, seed: 7, ...options })
}

describe.each(kinds)('the rate control for a service that counts by %s', (kind) => {
  it('uses nine tenths of known mixed quotas without a refusal', async () => {
    for (const jitterMs of [0, 10]) {
      const latency = { ...WAY, jitterMs }
      const driven = await drive({ kind, minutes: 3, starter: governed(KNOWN), latency })
      expect(driven.map(({ refused }) => refused)).toEqual([0, 0])
      for (const { used } of driven) expect(used).toBeGreaterThan(0.9)
    }
  })

  it('respects a rate per second and one per minute together', async () => {
    const quotas = { ...KNOWN, HEAVY: { perSecond: 20, perMinute: 300, pool: 'H' } }
    const starter = governed(quotas)
    const minute: Pressed = { label: 'HEAVY', calls: 300, perMs: 60_000 }
    for (const labels of [[minute], [TWENTY]]) {
      const [driven] = await drive({ kind, minutes: 5, starter, labels })
      expect(driven?.refused).toBe(0)
      expect((driven?.sent ?? 0) / 5).toBeGreaterThan(280)
      expect((driven?.sent ?? 0) / 5).toBeLessThanOrEqual(300)
    }
  })

  it.each([0, 0.1])(
    'learns 0.85 of an unknown rate in a minute, less a reserve of %d, with under 2% refused',
    async (reserve) => {
      const one: Pressed = { label: 'MEDIUM', calls: 1, perMs: 1_000 }
      const ten = { kind, minutes: 11, fromMinute: 1, labels: [EIGHTY, TWENTY, one] }
      for (const seed of WHOLE ? [7, 8, 9] : [7]) {
        const driven = await drive({ ...ten, starter: governed(LEARN_ALL, { reserve }), seed })
        for (const { used, refused, sent } of driven) {
          expect(used).toBeGreaterThan(0.85 * (1 - reserve))
          expect(refused / sent).toBeLessThan(0.02)
        }
      }
    },
  )

  it('is refused at most once in ten minutes by an unknown rate per minute', async () => {
    for (const calls of [10, 20, 60]) {
      const labels: Pressed[] = [{ label: 'RESOURCE-INTENSIVE', calls, perMs: 60_000 }]
      const [driven] = await drive({ kind, minutes: 10, starter: governed(LEARN_ALL), labels })
      expect(driven?.refused).toBeLessThanOrEqual(1)
      expect(driven?.used).toBeGreaterThan(0.4)
    }
  })

  it('yields to other clients, and uses the rate again when they leave', async () => {
    const shared = { kind, minutes: 20, othersUpTo: 0.5 }
    const drives: Driven[][] = []
    for (const seed of SHARED_SEEDS)
      drives.push(await drive({ ...shared, starter: governed(KNOWN), seed }))
    for (const label of ['LIGHT', 'HEAVY']) {
      const driven = drives.flat().filter((one) => one.label === label)
      for (const one of driven) {
        expect(one.refusedByChange.length - 1).toBeGreaterThan(4)
        expect(one.used).toBeGreaterThan(0.75)
        expect(one.refused / one.sent).toBeLessThan(0.006)
        expect(one.refused).toBeGreaterThan(0)
      }
      expect(sum(driven, ({ refusedByChange }) => refusedByChange.length - 1)).toBeGreaterThan(
        10 * SHARED_SEEDS.length,
      )
      if (!WHOLE) continue
      // The result depends on chance: `npm run bench -- quota` prints it for many drives.
      expect(meanUsed(driven)).toBeGreaterThan(0.8)
      expect(refusedPerChange(driven)).toBeLessThan(5)
    }
  })
})

describe('the rate control', () => {
  it.each([
    ['the day', { perDay: 1_000_000, pool: 'H' }],
    ['the pool', { pool: 'H' }],
  ])(
    'learns the rate of a label with only %s known, and counts its calls',
    async (_what, HEAVY) => {
      const ledger = memoryLedger()
      const starter = governed({ ...KNOWN, HEAVY }, { ledger })
      const kind = 'a sliding window'
      const [driven] = await drive({ kind, minutes: 4, fromMinute: 1, starter, labels: [TWENTY] })
      expect(driven?.used).toBeGreaterThan(0.9)
      expect((driven?.refused ?? 0) / (driven?.sent ?? 1)).toBeLessThan(0.005)
      expect(ledger.booked.get('H 2026-05-04')).toBeGreaterThan(1_000)
      expect(ledger.labels.get('HEAVY')?.learnedCallsPerSecond).toBeGreaterThan(10)
    },
  )

  it('starts from the rate that was learned before', async () => {
    const ledger = memoryLedger()
    await ledger.saveLearnedRate('HEAVY', 19)
    const starter = governed(LEARN_ALL, { ledger })
    const kind = 'a sliding window'
    const [driven] = await drive({ kind, minutes: 1, starter, labels: [TWENTY] })
    expect(driven?.used).toBeGreaterThan(0.9)
    expect(driven?.refused).toBeLessThanOrEqual(2)
  })

  it('stores the learned rate for the next process', async () => {
    const ledger = memoryLedger()
    const starter = governed(LEARN_ALL, { ledger })
    await drive({ kind: 'a token bucket', minutes: 2, starter, labels: [TWENTY] })
    const learned = ledger.labels.get('HEAVY')?.learnedCallsPerSecond ?? 0
    expect(learned / 20).toBeGreaterThan(0.85)
    expect(learned / 20).toBeLessThan(1.1)
  })

  it('does not take idle time as proof of a higher rate', async () => {
    const clock = eventClock(NOON)
    const ledger = memoryLedger()
    const governor = governorOf({ quotas: LEARN_ALL, ledger, clock })
    const rarely = async (): Promise<void> => {
      for (let call = 0; call < 100; call++) {
        await governor.run('LIGHT', undefined, async () => {})
        await clock.sleep(5_000)
      }
    }
    await clock.until(rarely())
    expect(ledger.labels.get('LIGHT')?.learnedCallsPerSecond).toBe(1)
  })
})
