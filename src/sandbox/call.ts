import type { Operation } from '../core/operation.ts'
import type { Company } from './company.ts'
import type { Habits } from './options.ts'
import type { PageTokens } from './page-tokens.ts'

/** One request that has passed the door: who asks, what for, and with which clock. */
export interface Call {
  company: Company
  operation: Operation
  path: Readonly<Record<string, string>>
  query: ReadonlyMap<string, string>
  nowMs: number
  habits: Habits
  tokens: PageTokens
  /** Counts requests; signed URLs carry it, so that they differ at every reading as real ones do. */
  serial: number
  baseUrl: string
  /** What the caller's token is granted. */
  granted: readonly string[]
}

/** Answers with the body of a 200, or with a file, or throws a Refusal. */
export type Answer = (call: Call) => object

export interface Answering {
  /** Query parameters that the operation takes; any other is refused. */
  parameters: readonly string[]
  /** The refusal's code for a wrong parameter. */
  parameterCode: number
  answer: Answer
  /** Any one of these opens the door. Empty: the documents name none. */
  scopes: readonly string[]
  granularScopes: readonly string[]
}
