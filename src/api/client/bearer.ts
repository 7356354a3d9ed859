/**
 * What a call sends as its bearer. The version tells one token from the next, so that a refusal can name
 * it.
 */
export interface BearerToken {
  value: string
  version: number
  /** What it was granted for; not told of one that needs no scopes. */
  scopes?: readonly string[]
  /** Where the API is, as the answer with the token said; only of the account's own. */
  apiUrl?: string
}

/** A source of bearers for one account: the shared account token, or session JWTs signed here. */
export interface Bearer {
  current(signal?: AbortSignal): Promise<BearerToken>
  /**
   * The token of `version` was refused on an operation that it had `worked` for before, or never had.
   * Answers with another token: a newer one that somebody else has stored, or one renewed now.
   */
  replace(version: number, worked: boolean, signal?: AbortSignal): Promise<BearerToken>
  /** What a person should read of how its tokens fared. */
  remark?(): string | undefined
}
