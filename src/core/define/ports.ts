/** A token as stored between processes, in the warehouse. */

export interface StoredToken {
  accessToken: string
  /** When the service stops accepting it, in epoch milliseconds by our clock. */
  expiresAtMs: number
  /** The scopes granted, as the token server named them. */
  scope: readonly string[]
  /** The URL of the API, from the answer with the token. */
  apiUrl?: string
  /** Grows with each token saved; a renewal names the version that it replaces. */
  version: number
  /** Present only if a person allowed the app. */
  grant?: UserGrant
  /** Why a new token requires a person: set until somebody logs in. */
  needsReauth?: string
  /** It, or its login, can be decrypted only with a key from before a rotation. */
  underOldKey?: true
}

/** A person's grant, and how it is renewed. */
export interface UserGrant {
  /** The newest; each serves once. */
  refreshToken: string
  /** The previous one, which may still work if the answer with the newest was lost. */
  previousRefreshToken?: string
  /** When the newest expires unless used, in epoch milliseconds. */
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
  /** Notes that `seenVersion` cannot be renewed without a person. The stored token stays. */
  demandLogin(reason: string, seenVersion: number): Promise<void>
  /** Deletes all tokens; with a `reason`, a new one requires a login. */
  forget(reason: string | undefined): Promise<void>
  /** Ends a claim whose renewal failed, so that the next caller need not wait. */
  releaseClaim(): Promise<void>
}

/** The day's spending and the service's "not before" times, shared by all processes of an account. */
export interface QuotaLedger {
  /**
   * Reserves up to `calls` calls from the pool's day; returns how many were granted. If `limit` is undefined
   * (unknown), all are.
   */
  reserve(pool: string, day: string, calls: number, limit: number | undefined): Promise<number>
  /** Returns reserved calls that were not used. */
  giveBack(pool: string, day: string, calls: number): Promise<void>
  spent(pool: string, day: string): Promise<number>
  readLabel(label: string): Promise<LabelState>
  /** A later time is never replaced by an earlier one. */
  holdLabel(label: string, retryAtMs: number, reason: 'rate' | 'daily'): Promise<void>
  saveLearnedRate(label: string, callsPerSecond: number): Promise<void>
}

export interface LabelState {
  retryAtMs: number
  reason: 'rate' | 'daily' | undefined
  learnedCallsPerSecond: number | undefined
}

/**
 * How an account's service behaves where its documents are ambiguous, as shown by its answers. A finding
 * applies until another answer contradicts it: code that acts on one must be able to detect that it is wrong.
 */
export interface FoundReadings {
  /** The variant found for a reading, from memory; undefined if none was. */
  get(reading: string): string | undefined
  /** Applies to this process at once, and once written to any process that opens the account later. */
  remember(reading: string, variant: string): Promise<void>
}

/**
 * A machine's note about the database, stored outside it: a database without the note's mark was restored
 * from an earlier backup, or replaced.
 */
export interface DatabaseNote {
  /** The takeover of the account by this machine's newest process, and the mark that it wrote. */
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
