import type { Operation } from '../../src/core/define/operation.ts'
import type { Readings } from '../readings/readings.ts'
import type { Credentials, Habits, Switches } from '../seed-data/options.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { Op, Touched } from './apply-ops.ts'
import type { PageTokens } from './page-tokens.ts'
import type { MatchedRoute } from './routes.ts'

/** A request as received. */
export interface ApiRequest extends MatchedRoute {
  authorization: string
  query: URLSearchParams
  body: unknown
  /** The caller, if known without a token. */
  holder?: Credentials
}

/** A request that has passed authentication, with its caller and clock. */
export interface SandboxCall {
  seedData: SeedData
  operation: Operation
  path: Readonly<Record<string, string>>
  query: ReadonlyMap<string, string>
  /** The values of a repeated parameter, in order. */
  values(parameter: string): readonly string[]
  /** The JSON body; undefined without one. */
  body: unknown
  nowMs: number
  habits: Habits
  readings: Readings
  tokens: PageTokens
  /** The number of the request. Signed URLs contain it, so that they differ each time, as real ones do. */
  serial: number
  /** The base URL of files, and the suffix of each address. */
  files: { url: string; seal: string }
  /** The scopes of the caller's token. */
  granted: readonly string[]
  /** Whether this token, from the query, belongs to the same account. */
  admits(token: string): boolean
  switches: Switches
  /** Changes the company, so that later answers show it; returns the changed rows. */
  change(ops: readonly Op[]): readonly Touched[]
}

/** Returns the body of a success (JSON or a file), or undefined for no body. Errors are SandboxRefusals. */
export type Handler = (call: SandboxCall) => object | undefined

export interface Answering {
  /** Query parameters that the operation accepts. It rejects all others. */
  parameters: readonly string[]
  /** Parameters that may occur more than once. */
  repeated?: readonly string[]
  /** The code for a wrong parameter. */
  parameterCode: number
  answer: Handler
  /** The status of a success; 200 by default. */
  status?: 201 | 204
  /** Switches that must be on. The first one that is off decides the refusal. */
  needs?: readonly (keyof Switches)[]
  /** The scopes, one of which suffices. Empty if the documents name none. */
  scopes: readonly string[]
  granularScopes: readonly string[]
}

/** Whether the caller's token has one of these scopes. */
export function isGranted({ granted }: SandboxCall, scopes: readonly string[]): boolean {
  return scopes.some((scope) => granted.includes(scope))
}
