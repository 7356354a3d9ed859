import type { Operation } from '../../src/core/define/operation.ts'
import type { Readings } from '../readings/readings.ts'
import type { Credentials, Habits, Switches } from '../seed-data/options.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { Op, Touched } from './apply-ops.ts'
import type { PageTokens } from './page-tokens.ts'
import type { MatchedRoute } from './routes.ts'

/** One request as it came. */
export interface ApiRequest extends MatchedRoute {
  authorization: string
  query: URLSearchParams
  body: unknown
  /** Who asks, where the door need not tell. */
  holder?: Credentials
}

/** One request that has passed the door: who asks, what for, and with which clock. */
export interface SandboxCall {
  seedData: SeedData
  operation: Operation
  path: Readonly<Record<string, string>>
  query: ReadonlyMap<string, string>
  /** The values of a parameter that may be repeated, in their order. */
  values(parameter: string): readonly string[]
  /** What came as JSON; undefined when no body did. */
  body: unknown
  nowMs: number
  habits: Habits
  readings: Readings
  tokens: PageTokens
  /** Counts requests; signed URLs carry it, so that they differ at every reading as real ones do. */
  serial: number
  /** Where addresses of files begin, and what each says besides at its end. */
  files: { url: string; seal: string }
  /** What the caller's token is granted. */
  granted: readonly string[]
  /** Whether a token in the query would have opened the door to the same account, too. */
  admits(token: string): boolean
  switches: Switches
  /** Changes the company, as every later answer shows; answers with the rows that it touched. */
  change(ops: readonly Op[]): readonly Touched[]
}

/** Answers with the body of a success, with a file, or with no body at all, or throws a Refusal. */
export type Handler = (call: SandboxCall) => object | undefined

export interface Answering {
  /** Query parameters that the operation takes; any other is refused. */
  parameters: readonly string[]
  /** Those of them that may come more than once. */
  repeated?: readonly string[]
  /** The refusal's code for a wrong parameter. */
  parameterCode: number
  answer: Handler
  /** Of a success: 200 where nothing is said. */
  status?: 201 | 204
  /** Only where the switches of these names are on; the first that is not says how it is refused. */
  needs?: readonly (keyof Switches)[]
  /** Any one of these opens the door. Empty: the documents name none. */
  scopes: readonly string[]
  granularScopes: readonly string[]
}

/** Whether the caller's token carries one of these. */
export function isGranted({ granted }: SandboxCall, scopes: readonly string[]): boolean {
  return scopes.some((scope) => granted.includes(scope))
}
