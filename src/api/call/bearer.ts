/**
 * What a call sends as its bearer. The version distinguishes one token from the next, so that a refusal can
 * name it.
 */
export interface BearerToken {
  value: string
  version: number
  /** What it was granted for; undefined for a token that needs no scopes. */
  scopes?: readonly string[]
  /** The API's address in the answer with the token; only for the account's own token. */
  apiUrl?: string
}

/** A source of bearers for one account: the shared account token, or session JWTs signed here. */
export interface Bearer {
  current(signal?: AbortSignal): Promise<BearerToken>
  /**
   * The token of `version` was refused on an operation; `worked` says whether it had been accepted for it
   * before. Returns another token: a newer one from the store, or one renewed now.
   */
  replace(version: number, worked: boolean, signal?: AbortSignal): Promise<BearerToken>
  /** A note for a person about the history of its tokens. */
  remark?(): string | undefined
}
