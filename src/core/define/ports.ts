/** What has to be kept between processes; the warehouse implements it. */

export interface StoredToken {
  accessToken: string
  /** Epoch milliseconds by our clock at which the service stops taking it. */
  expiresAtMs: number
  /** The scopes granted, as the token server named them. */
  scope: readonly string[]
  /** Where the API is, as the answer with the token said. */
  apiUrl?: string
  /** Grows with each token saved; a renewal names the version that it replaces. */
  version: number
  /** Only where a person allowed the app. */
  grant?: UserGrant
  /** Why only a person can bring another token: set until somebody logs in. */
  needsReauth?: string
  /** It, or the login beside it, opens only with a key of before a rotation. */
  underOldKey?: true
}

/** What a person allowed, and how it is renewed. */
export interface UserGrant {
  /** The newest; each serves once. */
  refreshToken: string
  /** The one before it, which may still serve when the answer that brought the newest was lost. */
  previousRefreshToken?: string
  /** Epoch milliseconds at which the newest ends unless it is used. */
  endsAtMs: number
}

/**
 * One token per account and app, encrypted at rest. A renewal is claimed in a row that expires; no
 * lock is held.
 */
export interface TokenStore {
  read(): Promise<StoredToken | undefined>
  /**
   * True for the one caller that may renew the token of `seenVersion` (0: none yet) within the next
   * `claimMs`.
   */
  claimRenewal(seenVersion: number, claimMs: number): Promise<boolean>
  /** Stores the new token as `seenVersion + 1` and ends the claim. */
  save(
    token: Omit<StoredToken, 'version' | 'needsReauth'>,
    seenVersion: number,
  ): Promise<StoredToken>
  /** Notes that `seenVersion` cannot be renewed without a person. What is stored stays. */
  demandLogin(reason: string, seenVersion: number): Promise<void>
  /** Forgets all tokens; where a `reason` is given, until somebody logs in. */
  forget(reason: string | undefined): Promise<void>
  /** Ends a claim whose renewal failed, so that the next caller need not wait. */
  releaseClaim(): Promise<void>
}

/** The day's spending and the service's "not before" times, shared by all processes of an account. */
export interface QuotaLedger {
  /**
   * Takes up to `calls` calls from the pool's day; answers how many were granted. `limit`
   * undefined: unknown, all are.
   */
  reserve(pool: string, day: string, calls: number, limit: number | undefined): Promise<number>
  /** Gives back what was reserved and not used. */
  giveBack(pool: string, day: string, calls: number): Promise<void>
  spent(pool: string, day: string): Promise<number>
  readLabel(label: string): Promise<LabelState>
  /** A later time never gives way to an earlier one. */
  holdLabel(label: string, retryAtMs: number, reason: 'rate' | 'daily'): Promise<void>
  saveLearnedRate(label: string, callsPerSecond: number): Promise<void>
}

export interface LabelState {
  retryAtMs: number
  reason: 'rate' | 'daily' | undefined
  learnedCallsPerSecond: number | undefined
}

/**
 * How an account's service reads what its documents leave open, where one of its answers showed it. A finding
 * holds until another answer shows otherwise: whoever acts on it must be able to find it wrong.
 */
export interface FoundReadings {
  /** Which variant of a reading was found, from memory; undefined where nothing was. */
  get(reading: string): string | undefined
  /** Holds at once for this process, and once it is written for whoever opens the account next. */
  remember(reading: string, variant: string): Promise<void>
}

/**
 * What one machine knows of the database, kept outside it: a database that does not know the note's mark was
 * restored from an earlier backup, or replaced.
 */
export interface DatabaseNote {
  /** When the newest process of this machine took the account over, and the mark that it left. */
  epoch: number
  mark: string
  at: string
}

/** The notes of this machine, one for each account. */
export interface DatabaseNotes {
  read(account: string): DatabaseNote | undefined
  /** Replaces the note in one step. */
  keep(account: string, note: DatabaseNote): void
}
