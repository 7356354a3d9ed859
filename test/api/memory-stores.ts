import type {
  FoundReadings,
  LabelState,
  QuotaLedger,
  StoredToken,
  TokenStore,
} from '../../src/core/define/ports.ts'
import type { Clock } from '../../src/core/time/clock.ts'

/** A ledger in memory with the same contract. It counts the calls that would reach the database. */
export function memoryLedger(): QuotaLedger & {
  booked: Map<string, number>
  labels: Map<string, LabelState>
  reservations: number
} {
  const booked = new Map<string, number>()
  const labels = new Map<string, LabelState>()
  const nothing: LabelState = {
    retryAtMs: 0,
    reason: undefined,
    learnedCallsPerSecond: undefined,
  }
  const state = (label: string): LabelState => labels.get(label) ?? nothing
  return {
    booked,
    labels,
    reservations: 0,
    async reserve(...[pool, day, calls, limit]) {
      this.reservations++
      const key = `${pool} ${day}`
      const spent = booked.get(key) ?? 0
      const granted = limit === undefined ? calls : Math.max(0, Math.min(calls, limit - spent))
      booked.set(key, spent + granted)
      return granted
    },
    async giveBack(pool, day, calls) {
      booked.set(`${pool} ${day}`, (booked.get(`${pool} ${day}`) ?? 0) - calls)
    },
    spent: async (pool, day) => booked.get(`${pool} ${day}`) ?? 0,
    readLabel: async (label) => state(label),
    async holdLabel(label, retryAtMs, reason) {
      if (retryAtMs > state(label).retryAtMs)
        labels.set(label, { ...state(label), retryAtMs, reason })
    },
    async saveLearnedRate(label, learnedCallsPerSecond) {
      labels.set(label, { ...state(label), learnedCallsPerSecond })
    },
  }
}

/** A token store in memory with the same contract. Each user of one store acts as a process of its own. */
export function memoryTokens(
  clock: Clock,
): TokenStore & { stored: StoredToken | undefined; claims: number } {
  let claimedUntilMs = Number.NEGATIVE_INFINITY
  return {
    stored: undefined,
    claims: 0,
    async read() {
      return this.stored
    },
    async claimRenewal(seenVersion, claimMs) {
      if ((this.stored?.version ?? 0) !== seenVersion || clock.elapsed() < claimedUntilMs)
        return false
      this.claims++
      claimedUntilMs = clock.elapsed() + claimMs
      return true
    },
    async save(token, seenVersion) {
      this.stored = { ...token, version: seenVersion + 1 }
      claimedUntilMs = Number.NEGATIVE_INFINITY
      return this.stored
    },
    async demandLogin(needsReauth, seenVersion) {
      claimedUntilMs = Number.NEGATIVE_INFINITY
      if (this.stored?.version === seenVersion) this.stored = { ...this.stored, needsReauth }
    },
    async forget(needsReauth) {
      const version = (this.stored?.version ?? 0) + 1
      const reason = needsReauth === undefined ? {} : { needsReauth }
      this.stored = { accessToken: '', expiresAtMs: 0, scope: [], version, ...reason }
    },
    async releaseClaim() {
      claimedUntilMs = Number.NEGATIVE_INFINITY
    },
  }
}

/** Options of an app that gets its tokens without a user login. */
export const SERVER_APP = {
  app: 'server-to-server',
  accountId: 'a',
  loginWith: 'callsheet login',
} as const

/** Findings about a service, in memory. */
export function memoryFound(): FoundReadings & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    get: (reading) => kept.get(reading),
    remember: async (reading, variant) => void kept.set(reading, variant),
  }
}
