import type { z } from 'zod'

export type RateLabel = 'LIGHT' | 'MEDIUM' | 'HEAVY' | 'RESOURCE-INTENSIVE'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** How a list goes on: by `next_page_token`, with the records under the response field `items`. */
export interface Paging {
  style: 'token'
  items: string
  /** The most records a page may hold, which is what we ask for. */
  maxPageSize: number
  /** The service's codes for "page token invalid or expired" on this operation (status 400). */
  tokenErrorCodes: readonly string[]
}

/**
 * One call of the API. The client, the sandbox's routes, the scope check and the documents all read
 * this.
 */
export interface Operation {
  /** `resource.verb`, unique, e.g. `users.list`. */
  id: string
  method: Method
  /** As documented, with `{placeholders}`, e.g. `/users/{userId}`. */
  path: string
  /**
   * Any one of these classic scopes, or any one of the granular ones, allows the call. Empty: not
   * stated.
   */
  scopes: readonly string[]
  granularScopes: readonly string[]
  rate: RateLabel
  /** Which bearer the call takes: the account's OAuth token, or the self-issued video-session JWT. */
  bearer: 'oauth' | 'jwt'
  /**
   * Path placeholders whose value is encoded twice when it holds `/`, `+` or `%` (`assumptions.md`,
   * quirks).
   */
  encodeTwice?: readonly string[]
  query: z.ZodObject
  response: z.ZodType
  paging?: Paging
  /**
   * Status and code of answers that mean the record no longer exists. `code` undefined: the status
   * alone says so.
   */
  gone?: readonly { status: number; code?: string }[]
}

export function defineOperation<const Op extends Operation>(operation: Op): Op {
  return Object.freeze(operation)
}

/** What a caller fills in. Array values repeat their name in the query; undefined ones are left out. */
export interface CallArguments {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, QueryValue | undefined>>
}
export type QueryValue = string | number | boolean | readonly string[]
