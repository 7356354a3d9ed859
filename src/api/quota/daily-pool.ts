import type { QuotaLedger } from '../../core/define/ports.ts'
import { RateLimitedError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'

/** Counts a day's calls in blocks booked before they are made: a crash never makes the count too low. */
export interface DailyPool {
  /**
   * Takes one call, or rejects with a daily RateLimitedError if none are left today. The returned function
   * puts the call back if it was not made.
   */
  take(): Promise<() => void>
  spentToday(): number
  /** The daily limit less the reserve; undefined if there is none. */
  limit: number | undefined
  close(): Promise<void>
}

export interface DailyPoolOptions {
  name: string
  limit: number | undefined
  ledger: QuotaLedger
  clock: Clock
}

export function createDailyPool({ name, limit, ledger, clock }: DailyPoolOptions): DailyPool {
  let day = ''
  let dayNumber: number | undefined
  let left = 0
  let booked = 0
  let refilling: Promise<void> | undefined
  const refill = async (): Promise<void> => {
    const nowMs = clock.now()
    const today = utcDay(nowMs)
    if (today !== day) await giveBack()
    // Other processes spend calls too, so near the limit their count is read again before each block.
    if (today !== day || !fits(limit, booked)) booked = await ledger.spent(name, today)
    day = today
    dayNumber = numberOf(nowMs)
    await point('quota:reserving')
    const granted = await ledger.reserve(name, today, nextBlock(limit, booked), limit)
    await point('quota:reserved')
    if (granted === 0) throw spentPool(name, limit ?? 0, clock)
    left += granted
    booked += granted
  }
  const refillOnce = (): Promise<void> => {
    refilling ??= refill().finally(() => {
      refilling = undefined
    })
    return refilling
  }
  const giveBack = async (): Promise<void> => {
    const unused = left
    left = 0
    booked -= unused
    if (unused === 0) return
    await point('quota:giving-back')
    await ledger.giveBack(name, day, unused)
    await point('quota:given-back')
  }
  return {
    limit,
    async take() {
      for (;;) {
        if (left > 0 && dayNumber === numberOf(clock.now())) break
        await refillOnce()
      }
      left--
      const taken = dayNumber
      // Far from the limit, books the next block ahead. An error reaches the call that needs the block.
      if (left === AHEAD && fits(limit, booked)) refillOnce().catch(() => {})
      // A call that was booked for an earlier day must not raise the number of calls left today.
      return () => void (left += taken === dayNumber ? 1 : 0)
    },
    spentToday: () => booked - left,
    close: async () => {
      await refilling?.catch(() => {})
      await giveBack()
    },
  }
}

/** The number of a UTC day; used for each call, because formatting a date would be too slow. */
function numberOf(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS)
}

/** Returns true if the limit is far enough away for whole blocks. */
function fits(limit: number | undefined, booked: number): boolean {
  return limit === undefined || limit - booked >= BLOCK * BLOCKS_LEFT
}

/** Near the limit, one process must not block the others with calls that it has not used. */
function nextBlock(limit: number | undefined, booked: number): number {
  if (limit === undefined || fits(limit, booked)) return BLOCK
  return Math.max(1, Math.floor((limit - booked) / BLOCKS_LEFT))
}

function spentPool(name: string, limit: number, clock: Clock): RateLimitedError {
  const now = clock.now()
  return new RateLimitedError('daily', now - (now % DAY_MS) + DAY_MS, {
    tried: `Reserving a call from the daily quota ${name}`,
    came: `the ${limit} calls allowed for today (UTC) are used, by all processes of the account together`,
    todo: 'run again after 00:00 UTC; that run continues where this one stopped',
  })
}

/** At 80 calls per second, the highest known rate, a block lasts more than half a second. */
const BLOCK = 50
const BLOCKS_LEFT = 10
/** The number of remaining calls at which the next block is booked. */
const AHEAD = 20
