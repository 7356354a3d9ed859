export interface StoredToken {
  accessToken: string
  /** When the service stops accepting the token, in epoch milliseconds by our clock. */
  expiresAtMs: number
  /** The scopes granted, as the token server named them. */
  scope: readonly string[]
  /** The URL of the API, from the token server's answer. */
  apiUrl?: string
  /** Grows with each saved token; a renewal names the version that it replaces. */
  version: number
  /** Present only if a person allowed the app. */
  grant?: UserGrant
  /** Why a new token requires a login; set until somebody logs in. */
  needsReauth?: string
}

/** The refresh tokens from a person's login. */
export interface UserGrant {
  /** The newest refresh token; each works once. */
  refreshToken: string
  /** The refresh token before the newest, tried if the newest is refused. */
  previousRefreshToken?: string
  /** When the newest refresh token expires if it is not used, in epoch milliseconds. */
  endsAtMs: number
}

/** Stores one encrypted token per account and app. A renewal is claimed by a row that expires, not a lock. */
export interface TokenStore {
  read(): Promise<StoredToken | undefined>
  /** Claims the renewal of `seenVersion` (0: no token yet) for `claimMs`; true for one caller at a time. */
  claimRenewal(seenVersion: number, claimMs: number): Promise<boolean>
  /** Stores the token as `seenVersion + 1` and ends the claim; if another caller did, returns that token. */
  save(
    token: Omit<StoredToken, 'version' | 'needsReauth'>,
    seenVersion: number,
  ): Promise<StoredToken>
  /** Records that `seenVersion` cannot be renewed without a person. The stored token stays. */
  demandLogin(reason: string, seenVersion: number): Promise<void>
  /** Erases the app's tokens. With a `reason`, a new one requires a login. */
  forget(reason: string | undefined): Promise<void>
  /** Ends a claim whose renewal failed, so that the next caller need not wait. */
  releaseClaim(): Promise<void>
}

/** The calls spent each day and the service's "not before" times, shared by all processes of an account. */
export interface QuotaLedger {
  /** Reserves up to `calls` calls of the day, and returns how many. Reserves all if `limit` is unknown. */
  reserve(pool: string, day: string, calls: number, limit: number | undefined): Promise<number>
  /** Returns reserved calls that were not used. */
  giveBack(pool: string, day: string, calls: number): Promise<void>
  spent(pool: string, day: string): Promise<number>
  readLabel(label: string): Promise<LabelState>
  /** Pauses a label until `retryAtMs`; an earlier time never replaces a later one. */
  holdLabel(label: string, retryAtMs: number, reason: 'rate' | 'daily'): Promise<void>
  saveLearnedRate(label: string, callsPerSecond: number): Promise<void>
}

export interface LabelState {
  retryAtMs: number
  reason: 'rate' | 'daily' | undefined
  learnedCallsPerSecond: number | undefined
}

/**
 * How an account's service behaves where its documents are ambiguous, as its answers showed. A finding
 * applies until another answer contradicts it, so code that relies on a finding must detect when it is wrong.
 */
export interface FoundReadings {
  /** The variant found for a reading; undefined if none was found. Needs no query. */
  get(reading: string): string | undefined
  /** Stores a variant. It applies to this process at once, and to processes that open the account later. */
  remember(reading: string, variant: string): Promise<void>
}

/**
 * A machine's note about the database, stored outside it. A database without the note's mark counts as
 * restored from an earlier backup, or replaced.
 */
export interface DatabaseNote {
  /** The epoch in which this machine's newest process took the account over; `mark` is what it wrote. */
  epoch: number
  mark: string
  at: string
}

export interface DatabaseNotes {
  read(account: string): DatabaseNote | undefined
  /** Replaces the note in one step. A failure is only logged. */
  keep(account: string, note: DatabaseNote): void
}
