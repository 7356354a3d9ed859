import type { z } from 'zod'

export type RateLabel = 'LIGHT' | 'MEDIUM' | 'HEAVY' | 'RESOURCE-INTENSIVE'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Where the records stand in an answer, and whether there may be more of them. */
type Paging = TokenPaging | WholePaging | RecordPaging

/** A list that goes on by `next_page_token`, with the records under the response field `items`. */
interface TokenPaging {
  style: 'token'
  items: string
  /** The most records a page may hold, which is what we ask for. */
  maxPageSize: number
  /** The service's codes for "page token invalid or expired" on this operation (status 400). */
  tokenErrorCodes: readonly string[]
  /** `total_records` counts something else than the list. */
  total?: 'other'
}

/** A list that comes in one answer, whatever its length. */
interface WholePaging {
  style: 'whole'
  /** The response field with the records; without it the answer is the list itself. */
  items?: string
  /** The service shows no more than these: a list of this length may lack some. */
  mostRecords?: number
}

/** One record, which is the answer itself. */
export interface RecordPaging {
  style: 'record'
  /** A list within the record of which the service shows no more than these. */
  bounded?: { field: string; most: number }
}

/**
 * One call of the API. The client, the sandbox's routes, the scope check and the documents all read
 * this.
 */
export interface Operation {
  /** `resource.verb`, unique, e.g. `users.list`. */
  id: string
  /** What it does, in a line. */
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
  /** Which bearer the call takes: the account's OAuth token, or the self-issued video-session JWT. */
  bearer: 'oauth' | 'jwt'
  /**
   * By path placeholder, which IDs the documents want encoded twice; once where they are silent. A service
   * that reads them otherwise is found out (docs/readings.md).
   */
  encodeTwice?: Readonly<Record<string, 'odd-slashes'>>
  /**
   * By path placeholder, the fields in which an answer names the record that it is of: at its top, or in each
   * record of a list. A record may be known by several names, such as a person by an address.
   */
  names?: Readonly<Record<string, readonly string[]>>
  /**
   * Of a download: the query parameter that carries the JWT besides the bearer, for what a password protects.
   */
  jwtParameter?: string
  query: z.ZodObject
  /** Parameters that the documents do not show: a service that refuses them is asked without. */
  undocumented?: readonly string[]
  /** What a JSON body must be; it is checked before it is sent. Without one no body is sent. */
  body?: z.ZodType
  /** Of the answer that means success: 200 where nothing is said. 204 has no body, nor has `empty`. */
  success?: { status: 200 | 201 | 204; empty?: true }
  /** The documented refusals that say more than their status does. */
  errors?: readonly DeclaredError[]
  /** What the documents ask for besides scopes: a plan, a licence, a setting. */
  needs?: string
  beta?: true
  /** The clusters that do not have it. */
  unavailableIn?: readonly 'government'[]
  response: z.ZodType
  paging?: Paging
  /** Answers that mean the record no longer exists. */
  deleted?: readonly DeclaredAnswer[]
  /** Answers that mean that this record is there and not for us, while others are. */
  withheld?: readonly DeclaredAnswer[]
  /** The label that a board carries once it is done: no call shows it, so it is put on record then. */
  labels?(args: CallArguments, body: unknown): BoardLabel
}

/** A classification label on a whiteboard; null where it carries none. */
export interface BoardLabel {
  whiteboardId: string
  classificationId: string | null
}

/** An error answer that says something of a record. `code` undefined: the status alone says so. */
export interface DeclaredAnswer {
  status: number
  code?: string
}

/** A refusal that the documents list, in our words. */
export interface DeclaredError {
  status: number
  code: string
  means: string
  /** Not this call alone: the account, its plan or the app may not use the operation. */
  forbids?: true
  /** Some items failed: of the others it may have been done. */
  partly?: true
  /** A word that was sent may be another one there. */
  ofWords?: true
  /** What the person who reads it can do. */
  todo?: string
}

/** The response field with the records; undefined where the answer is the list, or the record, itself. */
export function itemsOf({ paging }: Operation): string | undefined {
  return paging === undefined || paging.style === 'record' ? undefined : paging.items
}

/** The answer that means success. */
export function successOf({ success }: Operation): { status: number; empty?: true } {
  return success ?? { status: 200 }
}

/** What a caller fills in. Array values repeat their name in the query; undefined ones are left out. */
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
 * Any one of them lets the call show the whole account. Where some scopes of an operation do, the others
 * show only what the token's user may see (document 1, authentication 9); where none does, all callers are
 * shown the same.
 */
export function wholeAccountScopes(operation: Operation): string[] {
  const all = scopesOf(operation)
  const wide = all.filter(showsAccount)
  return wide.length > 0 ? wide : all
}

/**
 * What was granted that allows the call, but for the token's user alone. Empty where the whole account is
 * shown, and where nothing granted is known to allow it: that is for the service to say.
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
