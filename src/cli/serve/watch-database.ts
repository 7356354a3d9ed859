import { hostname } from 'node:os'
import type { Cause } from '../../core/declare/cause.ts'
import type { Observer } from '../../core/declare/observer.ts'
import { CallsheetError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { type AlertFacts, alertMessage } from '../../tell/alert-text.ts'
import type { Channel } from '../../tell/message.ts'

export interface DatabaseWatch {
  clock: Clock
  observer: Observer
  /** Whether the database answers. It never rejects. */
  isThere(): Promise<boolean>
  channels(): Promise<readonly Channel[]>
  /** How long a cause is told again after, in milliseconds. */
  remindMs: number
}

/**
 * Tells on each channel when the database has not answered for five minutes, again while that lasts, and when
 * it answers again. What other alerts are told of stands in the database, so this is remembered here: each
 * machine tells for itself, and once more after it was started anew.
 */
export async function watchDatabase(watch: DatabaseWatch, signal: AbortSignal): Promise<void> {
  const { clock, isThere } = watch
  const told = new Map<string, number>()
  let cause: Cause | undefined
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal).catch(() => {})
    if (signal.aborted) return
    const there = await isThere()
    const nowMs = clock.now()
    if (!there) cause ??= awayCause(nowMs)
    if (cause === undefined) continue
    if (!there && nowMs - cause.sinceMs < PATIENCE_MS) continue
    await tell(watch, { cause, there, told }, signal)
    if (there && told.size === 0) cause = undefined
  }
}

interface Telling {
  cause: Cause
  there: boolean
  /** By channel, when it was last told. */
  told: Map<string, number>
}

/** A channel that takes nothing is tried again with the next look. */
async function tell(
  { clock, observer, channels, remindMs }: DatabaseWatch,
  { cause, there, told }: Telling,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, send } of await channels()) {
    const nowMs = clock.now()
    const beforeMs = told.get(name)
    const facts = factsOf({ cause, there, isKnown: beforeMs !== undefined })
    if (facts === undefined) continue
    if (!there && beforeMs !== undefined && nowMs - beforeMs < remindMs) continue
    try {
      await send(alertMessage(facts, nowMs), signal)
      if (there) told.delete(name)
      else told.set(name, nowMs)
      observer.event('alert sent', { channel: name, count: 1 })
    } catch (error) {
      const code = error instanceof CallsheetError ? error.code : 'unexpected'
      observer.event('alert failed', { channel: name, code, count: 1, level: 'warn' })
    }
  }
}

function factsOf({
  cause,
  there,
  isKnown,
}: {
  cause: Cause
  there: boolean
  isKnown: boolean
}): AlertFacts | undefined {
  const none = { told: [], reminded: [], recovered: [] }
  if (there) return isKnown ? { ...none, recovered: [cause] } : undefined
  return isKnown ? { ...none, reminded: [cause] } : { ...none, told: [cause] }
}

function awayCause(sinceMs: number): Cause {
  return {
    code: 'database_away',
    account: undefined,
    subject: hostname(),
    level: 'red',
    sentence: `The database does not answer ${hostname()}: nothing is synced, and nothing else can be told.`,
    todo: 'Look whether Postgres runs and takes connections: callsheet doctor.',
    sinceMs,
  }
}

const LOOK_MS = 60_000
/** A restart takes less. */
const PATIENCE_MS = 300_000
