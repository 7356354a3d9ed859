import type { Backend } from './postgres-wire.ts'
import type { Random } from './random.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** What goes wrong with one request to the database, if anything does. */
export type DatabaseFault =
  | { kind: 'lost-before' }
  | { kind: 'lost-after' }
  | { kind: 'terminated' }
  | { kind: 'refused'; sqlstate: string }
  /** The process dies, before the server has the request or after it has carried it out. */
  | { kind: 'crash-before' }
  | { kind: 'crash-after' }

export interface DatabaseRequest {
  statement: string
  inTransaction: boolean
  owner: Owner | undefined
}

export interface DatabaseLineOptions {
  time: VirtualTime
  random: Random
  /** Virtual milliseconds that a request is under way, there and back. */
  latencyMs(): number
  fault(request: DatabaseRequest): DatabaseFault | undefined
  refusesConnection(): boolean
  crash(owner: Owner | undefined): void
  opened(socket: { hangUp(): Promise<void> }, owner: Owner | undefined): void
  /** The server has made a commit, whether or not its answer arrives: of rows that are watched, or not. */
  committed(touches: boolean): Promise<void>
  trace(text: string): void
}

export interface Waiting {
  backend: Backend
  answer: Promise<Buffer>
  finish(answer: Buffer): Promise<void>
  isDone(): boolean
  sinceMs: number
}

/** The line, as a socket needs it. */
export interface Wire {
  options: DatabaseLineOptions
  acquire(startup: Buffer): Promise<Backend>
  release(backend: Backend): Promise<void>
  terminate(backend: Backend): Promise<void>
  carry(backend: Backend, bytes: Buffer, answered: (answer: Buffer) => void): Promise<void>
}

/** The real server, as the line needs it. */
export interface Server {
  take(startup: Buffer): Promise<Backend>
  giveBack(backend: Backend): Promise<void>
  terminate(backend: Backend): Promise<void>
  cancel(backend: Backend): Promise<void>
  moveClock(nowMs: number): void
  waitsForLock(waiting: Pick<Waiting, 'backend' | 'isDone' | 'answer'>): Promise<boolean>
}
