import type {
  FoundReadings,
  LabelState,
  QuotaLedger,
  StoredToken,
  TokenStore,
} from '../core/define/ports.ts'

/** An account's stores in memory, for use before the tables exist. */
export interface Stores {
  tokens: TokenStore
  ledger: QuotaLedger
  found: FoundReadings
}

export function passingStores(): Stores {
  return { tokens: passingTokens(), ledger: passingLedger(), found: passingReadings() }
}

function passingTokens(): TokenStore {
  let stored: StoredToken | undefined
  let claimed = false
  return {
    read: () => Promise.resolve(stored),
    claimRenewal(seenVersion) {
      if (claimed || (stored?.version ?? 0) !== seenVersion) return Promise.resolve(false)
      claimed = true
      return Promise.resolve(true)
    },
    save(token, seenVersion) {
      claimed = false
      stored = { ...token, version: seenVersion + 1 }
      return Promise.resolve(stored)
    },
    demandLogin(needsReauth, seenVersion) {
      claimed = false
      if (stored?.version === seenVersion) stored = { ...stored, needsReauth }
      return Promise.resolve()
    },
    forget(needsReauth) {
      const version = (stored?.version ?? 0) + 1
      const reason = needsReauth === undefined ? {} : { needsReauth }
      stored = { accessToken: '', expiresAtMs: 0, scope: [], version, ...reason }
      return Promise.resolve()
    },
    releaseClaim() {
      claimed = false
      return Promise.resolve()
    },
  }
}

function passingLedger(): QuotaLedger {
  const booked = new Map<string, number>()
  const labels = new Map<string, LabelState>()
  const state = (label: string): LabelState => labels.get(label) ?? UNKNOWN
  return {
    reserve(...[pool, day, calls, limit]) {
      const spent = booked.get(`${pool} ${day}`) ?? 0
      const granted = limit === undefined ? calls : Math.max(0, Math.min(calls, limit - spent))
      booked.set(`${pool} ${day}`, spent + granted)
      return Promise.resolve(granted)
    },
    giveBack(pool, day, calls) {
      booked.set(`${pool} ${day}`, (booked.get(`${pool} ${day}`) ?? 0) - calls)
      return Promise.resolve()
    },
    spent: (pool, day) => Promise.resolve(booked.get(`${pool} ${day}`) ?? 0),
    readLabel: (label) => Promise.resolve(state(label)),
    holdLabel(label, retryAtMs, reason) {
      if (retryAtMs > state(label).retryAtMs)
        labels.set(label, { ...state(label), retryAtMs, reason })
      return Promise.resolve()
    },
    saveLearnedRate(label, learnedCallsPerSecond) {
      labels.set(label, { ...state(label), learnedCallsPerSecond })
      return Promise.resolve()
    },
  }
}

function passingReadings(): FoundReadings {
  const known = new Map<string, string>()
  return {
    get: (reading) => known.get(reading),
    remember(reading, variant) {
      known.set(reading, variant)
      return Promise.resolve()
    },
  }
}

const UNKNOWN: LabelState = {
  retryAtMs: 0,
  reason: undefined,
  learnedCallsPerSecond: undefined,
}
