import type { z } from 'zod'

export type RateLabel = 'LIGHT' | 'MEDIUM' | 'HEAVY' | 'RESOURCE-INTENSIVE'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Where the records are in an answer, and whether there may be more of them. */
type Paging = TokenPaging | WholePaging | RecordPaging

/** A list that goes on by `next_page_token`, with the records under the response field `items`. */
interface TokenPaging {
  style: 'token'
  items: string
  /** The maximum number of records in a page, which we request. */
  maxPageSize: number
  /** The service's codes for "page token invalid or expired" on this operation (status 400). */
  tokenErrorCodes: readonly string[]
  /** `total_records` does not count the list. */
  total?: 'other'
}

/** A list in one answer, whatever its length. */
interface WholePaging {
  style: 'whole'
  /** The response field with the records; without it the answer is the list itself. */
  items?: string
  /** The maximum that the service shows: a list of this length may be incomplete. */
  mostRecords?: number
}

/** One record, which is the answer itself. */
export interface RecordPaging {
  style: 'record'
  /** A list within the record of which the service shows at most `most` items. */
  bounded?: { field: string; most: number }
}

/**
 * One call of the API. The client, the sandbox's routes, the scope check and the documents all read
 * this.
 */
export interface Operation {
  /** `resource.verb`, unique, e.g. `users.list`. */
  id: string
  /** Its purpose, in one line. */
  summary: string
  method: Method
  /** As documented, with `{placeholders}`, e.g. `/users/{userId}`. */
  path: string
  /** Other names that a person may write for a placeholder, which the documents misspell. */
  alsoCalled?: Readonly<Record<string, string>>
  /**
   * Any one of these classic scopes, or any one of the granular ones, allows the call. Empty: not
   * stated.
   */
  scopes: readonly string[]
  granularScopes: readonly string[]
  rate: RateLabel
  /** The bearer of the call: the account's OAuth token, or the self-issued video-session JWT. */
  bearer: 'oauth' | 'jwt'
  /**
   * By path placeholder, the IDs to encode twice according to the documents; all others are encoded once. A
   * service that decodes them otherwise is detected (docs/readings.md).
   */
  encodeTwice?: Readonly<Record<string, 'odd-slashes'>>
  /**
   * By path placeholder, the fields in which an answer names the requested record: at its top, or in each
   * record of a list. A record may be known by several names, such as a person by an address.
   */
  names?: Readonly<Record<string, readonly string[]>>
  /**
   * For a download: the query parameter that carries the JWT besides the bearer, for password-protected
   * files.
   */
  jwtParameter?: string
  query: z.ZodObject
  /** Undocumented parameters: if the service refuses them, the request is repeated without. */
  undocumented?: readonly string[]
  /** The schema of a JSON body, checked before sending. Without one no body is sent. */
  body?: z.ZodType
  /** The successful answer; 200 by default. With 204 or `empty` it has no body. */
  success?: { status: 200 | 201 | 204; empty?: true }
  /** The documented refusals that mean more than their status. */
  errors?: readonly DeclaredError[]
  /** Documented requirements besides scopes: a plan, a license, a setting. */
  needs?: string
  beta?: true
  /** The clusters that do not have it. */
  unavailableIn?: readonly 'government'[]
  response: z.ZodType
  paging?: Paging
  /** Answers that mean the record no longer exists. */
  deleted?: readonly DeclaredAnswer[]
  /** Answers that deny access to this record alone. */
  withheld?: readonly DeclaredAnswer[]
  /** The label that a board has after the call: no call returns it, so it is recorded then. */
  labels?(args: CallArguments, body: unknown): BoardLabel
}

/** A whiteboard's classification label; null if it has none. */
export interface BoardLabel {
  whiteboardId: string
  classificationId: string | null
}

/** An error answer with a meaning for a record. `code` undefined: the status alone has that meaning. */
export interface DeclaredAnswer {
  status: number
  code?: string
}

/** A refusal that the documents list, in our words. */
export interface DeclaredError {
  status: number
  code: string
  means: string
  /** It concerns more than this call: the account, its plan or the app may not use the operation. */
  forbids?: true
  /** Some items failed: the others may have been processed. */
  partly?: true
  /** A word that was sent may differ from the service's own. */
  ofWords?: true
  /** The remedy, for the person who reads it. */
  todo?: string
}

/** The response field with the records; undefined if the answer itself is the list or the record. */
export function itemsOf({ paging }: Operation): string | undefined {
  return paging === undefined || paging.style === 'record' ? undefined : paging.items
}

/** The answer that means success. */
export function successOf({ success }: Operation): { status: number; empty?: true } {
  return success ?? { status: 200 }
}

/**
 * The arguments that a caller supplies. Array values repeat their name in the query; undefined ones are
 * omitted.
 */
export interface CallArguments {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, QueryValue | undefined>>
}

export type QueryValue = string | number | boolean | readonly string[]

/** Any one of them allows the call, for the account or for the token's user. */
export function scopesOf({ scopes, granularScopes }: Operation): string[] {
  return [...granularScopes, ...scopes]
}

/**
 * Any one of them lets the call show the whole account. If some scopes of an operation do, the others show
 * only what the token's user may see (document 1, authentication 9); if none does, all callers see the same.
 */
export function wholeAccountScopes(operation: Operation): string[] {
  const all = scopesOf(operation)
  const wide = all.filter(showsAccount)
  return wide.length > 0 ? wide : all
}

/**
 * The granted scopes that allow the call only for the token's user. Empty if a granted scope shows the whole
 * account. Also empty if no granted scope is known to allow the call; the service then decides.
 */
export function ownViewScopes(operation: Operation, granted: readonly string[]): string[] {
  const enough = wholeAccountScopes(operation)
  if (granted.some((scope) => enough.includes(scope))) return []
  const all = scopesOf(operation)
  return granted.filter((scope) => all.includes(scope))
}

/** The scope is of the account, not of the token's user. */
export function showsAccount(scope: string): boolean {
  return /:(admin|master)$/.test(scope)
}

/** The call as error texts name it. */
export function tried(operation: Operation): string {
  return `${operation.method} ${operation.path} (${operation.id})`
}
