import { BusyError, CallsheetError } from '../../core/errors.ts'
import { type DueTimes, dueTimes } from '../../core/time/due-times.ts'
import type { Ending } from '../../core/time/ending.ts'
import { type Attempt, MOST_SKEW_MS, nextStart } from '../../core/time/next-start.ts'
import { endingOfError } from '../../sync/ending.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import type { DispatcherDeps, Work } from './dispatcher.ts'

/** One work with its attempts and next start. */
export interface State {
  work: Work
  times: DueTimes
  attempts: Attempt[]
  /** When this process began to look for due work, in epoch milliseconds. */
  bornMs: number
  /** Attempts that failed before a run was recorded, so the ledger does not have them. */
  withoutRun: Attempt[]
  /** The work does not start before this instant, in epoch milliseconds, even if it is due by the ledger. */
  laterMs: number
  /** When the work starts next, in epoch milliseconds; infinite if never. */
  startMs: number
}

export function statesOf(works: readonly Work[], bornMs: number): State[] {
  return works.map((work) => ({
    work,
    bornMs,
    times: dueTimes(work),
    attempts: [],
    withoutRun: [],
    laterMs: 0,
    startMs: Number.POSITIVE_INFINITY,
  }))
}

/** Reads the attempts from the ledger, and computes when each work starts next. */
export async function lookUp({ clock, attempts }: DispatcherDeps, states: readonly State[]) {
  const nowMs = clock.now()
  if (states.length === 0) return
  const asked = states.map(({ work, times }) => ({
    ...work,
    sinceMs: (times.last(nowMs) ?? nowMs) - MOST_SKEW_MS,
  }))
  const known = await attempts(asked)
  states.forEach((state, index) => {
    const all = [...(known[index] ?? []), ...state.withoutRun]
    state.attempts = all.sort((a, b) => a.startedMs - b.startedMs)
    state.startMs = startOf(state, nowMs)
  })
}

/**
 * Returns when work starts. Work that an error blocked before this process began is tried again after the
 * usual delays, because whoever restarted the process has probably fixed the error, such as a wrong secret.
 */
function startOf({ times, attempts, laterMs, bornMs }: State, nowMs: number): number {
  const known = attempts.map((attempt): Attempt => {
    const { ending, failed, endedMs } = attempt
    const again = ending.kind === 'person' && failed === true && endedMs < bornMs
    return again ? { ...attempt, ending: { kind: 'again' } } : attempt
  })
  return Math.max(nextStart(times, known, nowMs) ?? Number.POSITIVE_INFINITY, laterMs)
}

export function putOff(state: State, untilMs: number): void {
  state.laterMs = untilMs
  state.startMs = untilMs
}

/**
 * Returns the due work in order: interrupted jobs, then jobs by start time, then reports and tasks. A job
 * that lists parents precedes the jobs that read the children of those parents.
 */
export function dueInOrder(states: readonly State[], nowMs: number): State[] {
  const due = states
    .filter(({ startMs }) => startMs <= nowMs)
    .sort((a, b) => startRank(a) - startRank(b) || a.startMs - b.startMs)
  const named = new Map(due.map((state) => [nameOf(state.work.account, state.work.job), state]))
  const ordered = new Set<State>()
  const begun = new Set<State>()
  const add = (state: State): void => {
    if (begun.has(state)) return
    begun.add(state)
    const { account, after = [] } = state.work
    for (const job of after) {
      const before = named.get(nameOf(account, job))
      if (before !== undefined) add(before)
    }
    ordered.add(state)
  }
  for (const state of due) add(state)
  return [...ordered]
}

function nameOf(account: string, job: string): string {
  return JSON.stringify([account, job])
}

/** Returns the work's rank; the lower rank starts first. */
export function startRank({ attempts, work }: State): number {
  if (work.kind !== undefined) return 2
  return attempts.at(-1)?.ending.kind === 'interrupted' ? 0 : 1
}

/** Runs the work once if it is still due. Returns true if another process has the account's lease. */
export async function tryNow(
  deps: DispatcherDeps,
  state: State,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, observer } = deps
  const { account, job } = state.work
  const startedMs = clock.now()
  try {
    // Checks again, because a person or another machine may have run the work in the meantime.
    await lookUp(deps, [state])
    if (state.startMs > startedMs || signal.aborted) return false
    const dueMs = state.times.last(startedMs) ?? startedMs
    const notBeforeMs = await deps.notBefore?.(state.work, dueMs)
    if (notBeforeMs !== undefined) {
      putOff(state, notBeforeMs)
      return false
    }
    const before = state.attempts.filter((one) => one.startedMs >= dueMs).length
    observer.event('job started', { account, job, attempt: before + 1 })
    const { reason, ...ending } = await deps.run(state.work, { dueMs, signal })
    note(deps, state, { startedMs, ending, hadRun: true })
    const level = ending.kind === 'done' ? 'info' : 'warn'
    observer.event('job ended', { account, job, ...fieldsOf(state, ending), reason, level })
  } catch (error) {
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    const facts = { account, job, code, error: (error as Error).message }
    if (error instanceof BusyError || isDatabaseAway(error)) {
      putOff(state, clock.now() + BUSY_WAIT_MS)
      const why = error instanceof BusyError ? 'account busy' : 'database unavailable'
      observer.event(`job waits, ${why}`, { ...facts, level: 'warn' })
      return error instanceof BusyError
    }
    if (signal.aborted) {
      observer.event('job stopped', { account, job })
      return false
    }
    // An error does not end the process. It is logged, and counts as an attempt.
    const ending = endingOfError(error, clock.now())
    note(deps, state, { startedMs, ending, hadRun: false })
    observer.event('job failed', { ...facts, ...fieldsOf(state, ending) })
  }
  return false
}

function note(
  { clock }: DispatcherDeps,
  state: State,
  { hadRun, ...attempt }: Pick<Attempt, 'startedMs' | 'ending'> & { hadRun: boolean },
): void {
  const nowMs = clock.now()
  const ended = { ...attempt, endedMs: nowMs }
  state.attempts.push(ended)
  if (!hadRun) state.withoutRun.push(ended)
  else if (attempt.ending.kind === 'done') state.withoutRun = []
  state.startMs = startOf(state, nowMs)
}

function fieldsOf({ startMs }: State, { kind }: Ending) {
  const next = Number.isFinite(startMs) ? new Date(startMs).toISOString() : undefined
  return { status: STATUS[kind], until: next }
}

const STATUS = {
  done: 'done',
  again: 'will retry',
  at: 'waits for the daily quota',
  person: 'needs a person',
  interrupted: 'interrupted',
} as const satisfies Record<Ending['kind'], string>

export const BUSY_WAIT_MS = 60_000
