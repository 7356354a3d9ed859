import { hostname } from 'node:os'
import type { Cause } from '../../core/define/cause.ts'
import type { Observer } from '../../core/define/observer.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import { type AlertFacts, alertMessage } from '../alerts/alert-text.ts'
import type { Channel } from '../alerts/message.ts'

export interface DatabaseWatch {
  clock: Clock
  observer: Observer
  /** Whether the database can be used, or why not where that is known. It never rejects. */
  isThere(): Promise<boolean | CallsheetError>
  channels(): Promise<readonly Channel[]>
  /** How long a cause is told again after, in milliseconds. */
  remindMs: number
  /** Keeps an open alert for the next process of this machine; without it a restart forgets the alert. */
  memory?: AwayMemory
}

/** Since when the database is away, or the service down, and when each channel was last told. */
export interface AwayNote {
  code: 'database_away' | 'service_down'
  sinceMs: number
  told: Readonly<Record<string, number>>
}

export interface AwayMemory {
  read(): AwayNote | undefined
  /** Undefined: no alert is open. */
  keep(note: AwayNote | undefined): void
}

/**
 * Tells on each channel when the database has not answered for five minutes, again while that lasts, and when
 * it answers again. Other alerts are stored in the database. This one is remembered on the machine: each one
 * tells for itself.
 */
export async function watchDatabase(watch: DatabaseWatch, signal: AbortSignal): Promise<void> {
  const { clock, isThere } = watch
  const note = watch.memory?.read()
  const told = new Map(Object.entries(note?.told ?? {}))
  let cause: Cause | undefined = note && { ...awayCause(note.sinceMs, false), code: note.code }
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal).catch(() => {})
    if (signal.aborted) return
    const found = await isThere()
    const there = found === true
    const nowMs = clock.now()
    if (!there) cause = awayCause(cause?.sinceMs ?? nowMs, found)
    if (cause === undefined) continue
    if (!there && nowMs - cause.sinceMs < PATIENCE_MS) continue
    await tell(watch, { cause, there, told }, signal)
    if (there && told.size === 0) cause = undefined
    keep(watch, cause, told)
  }
}

/**
 * Alerts to an error that ends the process, and that waiting does not mend: of the database, such as tables
 * of a newer version, or of something else that the service needs. Whoever starts it again finds the alert
 * open.
 */
export async function tellEnd(
  watch: DatabaseWatch,
  { code, error }: { code: AwayNote['code']; error: CallsheetError },
): Promise<void> {
  const note = watch.memory?.read()
  const told = new Map(Object.entries(note?.told ?? {}))
  const away = awayCause(note?.sinceMs ?? watch.clock.now(), error)
  const { tried, came } = error.facts
  const sentence = `Callsheet on ${hostname()} has ended: ${tried}: ${came}. Nothing is synced.`
  const cause = code === 'service_down' ? { ...away, code, sentence } : away
  await tell(watch, { cause, there: false, told }, new AbortController().signal)
  keep(watch, cause, told)
}

function keep(
  { memory }: DatabaseWatch,
  cause: Cause | undefined,
  told: ReadonlyMap<string, number>,
): void {
  if (cause === undefined || told.size === 0) return memory?.keep(undefined)
  const code = cause.code === 'service_down' ? cause.code : 'database_away'
  memory?.keep({ code, sinceMs: cause.sinceMs, told: Object.fromEntries(told) })
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
  const open = await channels()
  // A channel that was taken out of the configuration is told nothing more.
  for (const name of told.keys()) if (!open.some((one) => one.name === name)) told.delete(name)
  for (const { name, send } of open) {
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

function awayCause(sinceMs: number, found: boolean | CallsheetError): Cause {
  const { tried, came, todo = UNKNOWN.todo } = typeof found === 'boolean' ? UNKNOWN : found.facts
  const why = came === '' ? '' : ` (${came})`
  const isAway = typeof found === 'boolean' || isDatabaseAway(found)
  return {
    code: 'database_away',
    account: undefined,
    subject: hostname(),
    level: 'red',
    sentence: isAway
      ? `The database does not answer ${hostname()}${why}: nothing is synced.`
      : `Callsheet on ${hostname()} cannot use its database: ${tried}: ${came}. Nothing is synced.`,
    todo: `${todo.slice(0, 1).toUpperCase()}${todo.slice(1)}.`,
    sinceMs,
  }
}

const UNKNOWN = {
  tried: '',
  came: '',
  todo: 'look whether Postgres runs and takes connections: callsheet doctor',
}
const LOOK_MS = 60_000
/** A restart takes less. */
const PATIENCE_MS = 300_000
