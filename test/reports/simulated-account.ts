import type { Counts } from '../../reports/session-quality/facts.ts'
import { KINDS } from '../../reports/session-quality/source.ts'
import type { TestedDays } from '../../reports/session-quality/tests.ts'
import { addDays, daysOf, mondayOf } from '../../reports/shared/calendar.ts'
import { randomOf } from './simulated-random.ts'

/** How an account meets and how bad its sessions are: in six months alike, but for the shift. */
export interface World {
  keys: number
  /** Rated sessions on a weekday, of all keys; a twentieth of that on a day of the weekend. */
  perDay: number
  /** The share of bad sessions in the long run. */
  share: number
  /** How much the sessions of one key on one day are alike: 0 for coins, 1 for all bad or none. */
  alike: number
  /** By how much a whole day's share goes up and down, as a part of it. */
  daySpread?: number
  /** By how much keys differ for good, as a part of the share. */
  keySpread?: number
  compared?: boolean
  /** Six, or only the month and the one before. */
  months?: 2 | 6
  /** By what the share of audio is multiplied in the second full week, or from a day on. */
  shift?: { times: number; in: 'week' } | { times: number; since: string }
}

type Days = Map<string, Counts>

/** Days as the report counts them. The seed is the account's number, so that none is chosen by its result. */
export function simulatedAccount(seed: number, world: World): TestedDays {
  const random = randomOf(seed)
  const keys = Array.from({ length: world.keys }, () => ({
    size: random.gamma(1),
    worse: around(random, world.keySpread),
  }))
  const all = keys.reduce((sum, { size }) => sum + size, 0)
  const monthOf = (month: string): Days =>
    new Map(daysOf(month).map((day) => [day, dayOf(day, keys)]))
  const dayOf = (day: string, met: typeof keys): Counts => {
    const counts: Record<string, number> = {}
    const busy = addDays(mondayOf(day), 5) > day ? 1 : 0.05
    for (const { kind } of KINDS) {
      const share = world.share * around(random, world.daySpread) * shiftOf(day, kind, world)
      let [of, bad] = [0, 0]
      for (const { size, worse } of met) {
        const sessions = random.poisson((world.perDay * busy * size) / all)
        const own = sessions === 0 ? 0 : random.beta(Math.min(0.9, share * worse), world.alike)
        of += sessions
        bad += random.binomial(sessions, own)
      }
      Object.assign(counts, { [`${kind}_bad`]: bad, [`${kind}_good`]: of - bad })
    }
    return counts
  }
  const daysBefore = monthOf('2026-09')
  const days = monthOf(MONTH)
  const older = (world.months ?? 6) > 2 ? MONTHS_BEFORE.map(monthOf) : []
  const earlier = new Map([...older.flatMap((month) => [...month]), ...daysBefore])
  return world.compared === false
    ? { days, daysBefore: new Map(), earlier: new Map() }
    : { days, daysBefore, earlier }
}

const MONTH = '2026-10'
const MONTHS_BEFORE = ['2026-05', '2026-06', '2026-07', '2026-08']
export const SHIFTED_WEEK = '2026-10-12'

function shiftOf(day: string, kind: string, { shift }: World): number {
  if (shift === undefined || kind !== 'audio') return 1
  const shifted = 'since' in shift ? day >= shift.since : mondayOf(day) === SHIFTED_WEEK
  return shifted ? shift.times : 1
}

/** A factor with the mean 1. */
function around(random: Random, spread = 0): number {
  return spread === 0 ? 1 : random.gamma(1 / spread ** 2) * spread ** 2
}

type Random = ReturnType<typeof randomOf>
