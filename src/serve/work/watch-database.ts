import { hostname } from 'node:os'
import type { Cause } from '../../core/define/cause.ts'
import type { Observer } from '../../core/define/observer.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { capitalize } from '../../core/values/text.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import { alertMessage } from '../alerts/alert-text.ts'
import type { Channel } from '../alerts/message.ts'

export interface DatabaseWatch {
  /** The name of the database; undefined if there is only one. */
  database: string | undefined
  clock: Clock
  observer: Observer
  /** Returns true if the database can be used; otherwise the reason, if known. It never rejects. */
  ping(): Promise<boolean | CallsheetError>
  channels(): Promise<readonly Channel[]>
  /** Milliseconds between reminders. */
  remindMs: number
}

/**
 * Alerts each channel when the database has not responded for five minutes, sends reminders, and reports the
 * recovery. Sent alerts are recorded in the database, so without it each process sends its own.
 */
export async function watchDatabase(watch: DatabaseWatch, signal: AbortSignal): Promise<void> {
  const { clock, ping } = watch
  const sent = new Map<string, number>()
  let cause: Cause | undefined
  while (!signal.aborted) {
    await clock.sleep(PING_MS, signal).catch(() => {})
    if (signal.aborted) return
    const answer = await ping()
    const isOver = answer === true
    const nowMs = clock.now()
    if (!isOver) cause = causeOf(watch, cause?.sinceMs ?? nowMs, answer)
    if (cause === undefined) continue
    if (!isOver && nowMs - cause.sinceMs < PATIENCE_MS) continue
    await sendToAll(watch, { cause, isOver, sent }, signal)
    if (isOver && sent.size === 0) cause = undefined
  }
}

interface OutageState {
  cause: Cause
  isOver: boolean
  /** When each channel was last alerted. */
  sent: Map<string, number>
}

/** Sends each channel the message that is due. A channel that failed is tried again after the next ping. */
async function sendToAll(
  { clock, observer, channels, remindMs }: DatabaseWatch,
  { cause, isOver, sent }: OutageState,
  signal: AbortSignal,
): Promise<void> {
  const open = await channels()
  // Channels that are no longer configured get no more messages.
  for (const name of sent.keys()) if (!open.some((one) => one.name === name)) sent.delete(name)
  for (const { name, send } of open) {
    const nowMs = clock.now()
    const lastMs = sent.get(name)
    if (isOver && lastMs === undefined) continue
    if (!isOver && lastMs !== undefined && nowMs - lastMs < remindMs) continue
    const kind = isOver ? 'recovered' : lastMs === undefined ? 'told' : 'reminded'
    const facts = { told: [], reminded: [], recovered: [], [kind]: [cause] }
    try {
      await send(alertMessage(facts, nowMs), signal)
      if (isOver) sent.delete(name)
      else sent.set(name, nowMs)
      observer.event('alert sent', { channel: name, count: 1 })
    } catch (error) {
      const code = error instanceof CallsheetError ? error.code : 'unexpected'
      observer.event('alert failed', { channel: name, code, count: 1, level: 'warn' })
    }
  }
}

function causeOf(
  { database }: Pick<DatabaseWatch, 'database'>,
  sinceMs: number,
  answer: boolean | CallsheetError,
): Cause {
  const { tried, came, todo = UNKNOWN.todo } = typeof answer === 'boolean' ? UNKNOWN : answer.facts
  const why = came === '' ? '' : ` (${came})`
  const named = database === undefined ? '' : ` ${database}`
  const isAway = typeof answer === 'boolean' || isDatabaseAway(answer)
  return {
    code: 'database_away',
    account: undefined,
    subject: `${hostname()}${named}`,
    level: 'red',
    sentence: isAway
      ? `The database${named} does not answer the machine ${hostname()}${why}: ` +
        'its accounts are not synced.'
      : `Callsheet on ${hostname()} cannot use its database${named}: ${tried}: ${came}. ` +
        'Its accounts are not synced.',
    todo: `${capitalize(todo)}.`,
    sinceMs,
  }
}

const UNKNOWN = {
  tried: '',
  came: '',
  todo: 'check that Postgres runs and accepts connections, then run callsheet doctor',
}
const PING_MS = 60_000
/** How long the database may be unavailable without an alert: longer than it takes to restart. */
const PATIENCE_MS = 300_000

interface WaitOptions {
  clock: Clock
  observer: Observer
  signal: AbortSignal
  onAway?(error: CallsheetError): void
}

/**
 * Calls `open` until the database can be reached, because a booting machine may start the database and the
 * service at once. Rejects at once with any other error, and when the signal aborts.
 */
export async function waitForDatabase<T>(
  { clock, observer, signal, onAway }: WaitOptions,
  open: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    try {
      return await open()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      onAway?.(error)
      const seconds = PAUSES_S[tries - 1] ?? LONGEST_PAUSE_S
      const facts = { code: error.code, error: error.message, tries, seconds }
      observer.event('waiting for the database', { ...facts, level: 'warn' })
      await clock.sleep(seconds * 1000, signal)
    }
  }
}

const PAUSES_S = [1, 2, 5, 10]
const LONGEST_PAUSE_S = 30
