import type { Observer } from '../../core/declare/observer.ts'
import { BusyError, CallsheetError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/when-aborted.ts'
import { isDatabaseAway } from '../../warehouse/connection/database-errors.ts'
import { type Ending, endingOfError } from '../run/ending.ts'
import { type Due, type DueTimes, delayed, dueTimes } from './due-times.ts'
import { type Attempt, MOST_SKEW_MS, nextStart } from './next-start.ts'

/** A job of an account, with its schedule. */
export interface Work extends Due {
  account: string
  job: string
  /** It starts only while no other work that is due waits for a place. */
  yields?: true
  /** It goes on beside the other work of its account, because it does not need the account's lease. */
  beside?: true
  /** It starts so many milliseconds after it is due; at once if not given. */
  delayMs?: number
}

export interface DispatcherDeps {
  clock: Clock
  observer: Observer
  /** The attempts that began at or after an instant, oldest first, for each work in its place. */
  attempts(works: readonly (Work & { sinceMs: number })[]): Promise<readonly Attempt[][]>
  /** When to look again whether due work may begin, in epoch milliseconds; undefined if it may now. */
  notBefore?(work: Work, dueMs: number): Promise<number | undefined>
  /** Does the work once. Rejects with BusyError if another process holds the account. */
  run(work: Work, due: { dueMs: number; signal: AbortSignal }): Promise<Ending>
  /** How many accounts may be worked on at the same time. */
  accountsAtOnce: number
  /** Called whenever it looks for due work, at least every 30 seconds. */
  beat?(): void
}

/**
 * Starts each work when it is due, and again until it is done. Interrupted work starts first. Each account
 * has one work at a time but for what goes on beside it, because its lease admits one process. When the
 * signal comes nothing more starts, and the promise resolves once all running work has ended.
 */
export async function dispatch(
  deps: DispatcherDeps,
  works: readonly Work[],
  signal: AbortSignal,
): Promise<void> {
  const { clock } = deps
  const states = statesOf(works)
  await lookUpFirst(deps, states, signal)
  const waker = createWaker()
  const atWork = new Map<string, Promise<void>>()
  const stopListening = whenAborted(signal, waker.wake)
  while (!signal.aborted) {
    deps.beat?.()
    const nowMs = clock.now()
    for (const state of dueOf(states, nowMs)) {
      const place = placeOf(state.work)
      if (atWork.size >= deps.accountsAtOnce || atWork.has(place)) continue
      const ended = tryNow(deps, state, signal).finally(() => {
        atWork.delete(place)
        waker.wake()
      })
      atWork.set(place, ended)
    }
    const isFull = atWork.size >= deps.accountsAtOnce
    const free = isFull ? [] : states.filter(({ work }) => !atWork.has(placeOf(work)))
    const startMs = Math.min(...free.map(({ startMs: ms }) => ms))
    await waker.sleep(clock, Math.min(LONGEST_SLEEP_MS, Math.max(0, startMs - nowMs)))
  }
  stopListening()
  await Promise.all(atWork.values())
}

/** What no two works have at the same time. */
function placeOf({ account, job, beside }: Work): string {
  return JSON.stringify(beside === true ? [account, job] : [account])
}

interface State {
  work: Work
  times: DueTimes
  attempts: Attempt[]
  /** Attempts that failed before they had a run: the ledger does not know them. */
  withoutRun: Attempt[]
  /** When it starts next, in epoch milliseconds; infinite if never. */
  startMs: number
}

function statesOf(works: readonly Work[]): State[] {
  return works.map((work) => ({
    work,
    times: delayed(dueTimes(work), work.delayMs),
    attempts: [],
    withoutRun: [],
    startMs: Number.POSITIVE_INFINITY,
  }))
}

/** The database may go away between the start of the process and its first look. */
async function lookUpFirst(
  deps: DispatcherDeps,
  states: readonly State[],
  signal: AbortSignal,
): Promise<void> {
  const { clock, observer } = deps
  while (!signal.aborted) {
    deps.beat?.()
    try {
      await lookUp(deps, states)
      return
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      observer.event('waiting for the database', { code: error.code, level: 'warn' })
      await clock.sleep(LONGEST_SLEEP_MS, signal).catch(() => {})
    }
  }
}

/** Reads the attempts from the ledger, and computes when each work starts next. */
async function lookUp({ clock, attempts }: DispatcherDeps, states: readonly State[]) {
  const nowMs = clock.now()
  const asked = states.map(({ work, times }) => ({
    ...work,
    sinceMs: (times.last(nowMs) ?? nowMs) - MOST_SKEW_MS,
  }))
  const known = await attempts(asked)
  states.forEach((state, index) => {
    const all = [...(known[index] ?? []), ...state.withoutRun]
    state.attempts = all.sort((a, b) => a.startedMs - b.startedMs)
    state.startMs = nextStart(state.times, state.attempts, nowMs) ?? Number.POSITIVE_INFINITY
  })
}

/** The due work: interrupted work first, then by its start, and at last what yields. */
function dueOf(states: readonly State[], nowMs: number): State[] {
  const rank = ({ attempts, work }: State): number =>
    work.yields === true ? 2 : attempts.at(-1)?.ending.kind === 'interrupted' ? 0 : 1
  return states
    .filter(({ startMs }) => startMs <= nowMs)
    .sort((a, b) => rank(a) - rank(b) || a.startMs - b.startMs)
}

async function tryNow(deps: DispatcherDeps, state: State, signal: AbortSignal): Promise<void> {
  const { clock, observer } = deps
  const { account, job } = state.work
  const startedMs = clock.now()
  try {
    // A person or another machine may have done it meanwhile.
    await lookUp(deps, [state])
    if (state.startMs > startedMs || signal.aborted) return
    const dueMs = state.times.last(startedMs) ?? startedMs
    const notBeforeMs = await deps.notBefore?.(state.work, dueMs)
    if (notBeforeMs !== undefined) {
      state.startMs = notBeforeMs
      return
    }
    observer.event('job started', { account, job })
    const ending = await deps.run(state.work, { dueMs, signal })
    note(deps, state, { startedMs, ending, hadRun: true })
    const level = ending.kind === 'done' ? 'info' : 'warn'
    observer.event('job ended', { account, job, ...fieldsOf(state, ending), level })
  } catch (error) {
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    const facts = { account, job, code, error: (error as Error).message }
    if (error instanceof BusyError || isDatabaseAway(error)) {
      state.startMs = clock.now() + BUSY_WAIT_MS
      const why = error instanceof BusyError ? 'account busy' : 'database away'
      observer.event(`job waits, ${why}`, { ...facts, level: 'warn' })
      return
    }
    if (signal.aborted) {
      observer.event('job stopped', { account, job })
      return
    }
    // A failed job must not end the service: it is logged and tried again.
    const ending = endingOfError(error, clock.now())
    note(deps, state, { startedMs, ending, hadRun: false })
    observer.event('job failed', { ...facts, ...fieldsOf(state, ending) })
  }
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
  state.startMs = nextStart(state.times, state.attempts, nowMs) ?? Number.POSITIVE_INFINITY
}

function fieldsOf({ startMs }: State, { kind }: Ending) {
  const next = Number.isFinite(startMs) ? new Date(startMs).toISOString() : undefined
  return { status: kind, until: next }
}

/** A sleep that `wake` ends early. */
function createWaker() {
  let { promise, resolve } = Promise.withResolvers<void>()
  return {
    wake: () => resolve(),
    async sleep(clock: Clock, ms: number): Promise<void> {
      const cancel = clock.alarm(ms, resolve)
      await promise
      cancel()
      ;({ promise, resolve } = Promise.withResolvers<void>())
    },
  }
}

/** The wall clock may jump, since a machine sleeps or its time is set: it is read again at least so often. */
const LONGEST_SLEEP_MS = 30_000
const BUSY_WAIT_MS = 60_000
