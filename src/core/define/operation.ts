import type { z } from 'zod'

export type RateLabel = 'LIGHT' | 'MEDIUM' | 'HEAVY' | 'RESOURCE-INTENSIVE'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Where the records are in an answer, and whether there may be more of them. */
type Paging = TokenPaging | WholePaging | RecordPaging

/** A list paged by `next_page_token`, with the records in the response field `items`. */
interface TokenPaging {
  style: 'token'
  items: string
  /** The largest page; we always request this size. */
  maxPageSize: number
  /** The service's codes for "page token invalid or expired" on this operation (status 400). */
  tokenErrorCodes: readonly string[]
  /** `total_records` counts something other than the list's records. */
  total?: 'other'
}

/** A list in one answer, however long. */
interface WholePaging {
  style: 'whole'
  /** The response field with the records; without it the answer is the list itself. */
  items?: string
  /** The most records that the service returns: a list of this length may be cut off. */
  mostRecords?: number
}

/** One record, which is the answer itself. */
export interface RecordPaging {
  style: 'record'
  /** A list in the record that the service cuts off after `most` items. */
  bounded?: { field: string; most: number }
}

/** A declared call of the API, used by the client, the sandbox, the scope check and the documentation. */
export interface Operation {
  /** `resource.verb`, unique, e.g. `users.list`. */
  id: string
  summary: string
  method: Method
  /** As documented, with `{placeholders}`, e.g. `/users/{userId}`. */
  path: string
  /** Other names that a person may write for a placeholder whose documented name is misspelled. */
  alsoCalled?: Readonly<Record<string, string>>
  /** Any one of these classic or granular scopes allows the call. Both empty: not documented. */
  scopes: readonly string[]
  granularScopes: readonly string[]
  rate: RateLabel
  /** The bearer sent: the account's OAuth token, or the video-session JWT that we issue ourselves. */
  bearer: 'oauth' | 'jwt'
  /**
   * The placeholders whose IDs the documents say to encode twice if they begin with `+` or `/` or contain
   * `//`. All others are encoded once. A service that decodes them otherwise is detected (docs/readings.md).
   */
  encodeTwice?: Readonly<Record<string, 'odd-slashes'>>
  /**
   * By path placeholder, the fields in which an answer names the requested record: at its top, or in each
   * record of a list. A record may be known by several names, such as a person by an address.
   */
  names?: Readonly<Record<string, readonly string[]>>
  /** For a download of a password-protected file: the query parameter that also carries the JWT. */
  jwtParameter?: string
  query: z.ZodObject
  /** Undocumented time bounds. If the service refuses a first page, it is also requested without them. */
  undocumented?: readonly string[]
  /** The schema of a JSON body, checked before sending. Without a schema no body is sent. */
  body?: z.ZodType
  /** The successful answer; 200 by default. With 204 or `empty` it has no body. */
  success?: { status: 200 | 201 | 204; empty?: true }
  /** The documented error codes that mean more than their status. */
  errors?: readonly DeclaredError[]
  /** Documented requirements besides scopes: a plan, a license, a setting. */
  needs?: string
  beta?: true
  /** The clusters that do not have the operation. */
  unavailableIn?: readonly 'government'[]
  response: z.ZodType
  paging?: Paging
  /** Answers that mean the record no longer exists. */
  deleted?: readonly DeclaredAnswer[]
  /** Answers that deny access to this record alone. */
  withheld?: readonly DeclaredAnswer[]
  /** The label that the board has after the call, for the log of calls: no call returns a board's label. */
  labels?(args: CallArguments, body: unknown): BoardLabel
}

/** `classificationId` is null if the board has no label. */
export interface BoardLabel {
  whiteboardId: string
  classificationId: string | null
}

/** An error answer with a meaning for a record. `code` undefined: the status alone has that meaning. */
export interface DeclaredAnswer {
  status: number
  code?: string
}

/** A documented error, described in our words. */
export interface DeclaredError {
  status: number
  code: string
  means: string
  /** The error concerns more than this call: the account, its plan or the app may not use the operation. */
  forbids?: true
  /** Some items failed; the others may have been processed. */
  partly?: true
  /** The service may refuse a word that we sent because it uses another one (`accounts[].words`). */
  ofWords?: true
  todo?: string
}

/** The response field with the records; undefined if the answer itself is the list or the record. */
export function itemsOf({ paging }: Operation): string | undefined {
  return paging === undefined || paging.style === 'record' ? undefined : paging.items
}

export function successOf({ success }: Operation): { status: number; empty?: true } {
  return success ?? { status: 200 }
}

/** In the query, an array value repeats its name, and an undefined value is omitted. */
export interface CallArguments {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, QueryValue | undefined>>
}

export type QueryValue = string | number | boolean | readonly string[]

/** All scopes of which one is enough to allow the call, for the account or for the token's user. */
export function scopesOf({ scopes, granularScopes }: Operation): string[] {
  return [...granularScopes, ...scopes]
}

/**
 * The scopes that let the call show the whole account. Scopes for all users end in `:admin` or `:master`; if
 * an operation has such scopes, the others show only what the token's user may see (document 1,
 * authentication 9). If it has none, all callers see the same.
 */
export function wholeAccountScopes(operation: Operation): string[] {
  const all = scopesOf(operation)
  const wide = all.filter(showsAccount)
  return wide.length > 0 ? wide : all
}

/**
 * The granted scopes that allow the call only for the token's user. Empty if a granted scope shows the whole
 * account, or if none is known to allow the call: then the service decides.
 */
export function ownViewScopes(operation: Operation, granted: readonly string[]): string[] {
  const enough = wholeAccountScopes(operation)
  if (granted.some((scope) => enough.includes(scope))) return []
  const all = scopesOf(operation)
  return granted.filter((scope) => all.includes(scope))
}

/** Whether a scope covers the account, not only the token's user. */
export function showsAccount(scope: string): boolean {
  return /:(admin|master)$/.test(scope)
}

export function tried(operation: Operation): string {
  return `${operation.method} ${operation.path} (${operation.id})`
}
