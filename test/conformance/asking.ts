import type { Sandbox } from '../../sandbox/server/server.ts'
import type { Caller } from '../sandbox/caller.ts'

export type Body = Record<string, unknown>
/** What each operation answered, by its ID. */
export type Answers = Map<string, unknown[]>

export interface Asking {
  sandbox: Sandbox
  oauth: Caller
  video: Caller
  /** Asks and keeps the answer, which has to be a success. */
  keep(id: string, asked: Promise<{ status: number; body: Body }>): Promise<Body>
  /** The same of a list, over all its pages; all its records. */
  list(id: string, caller: Caller, place: Place): Promise<Body[]>
}

export interface Place {
  path: string
  items: string
  query?: Record<string, string>
}
