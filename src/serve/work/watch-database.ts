import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Cause } from '../../core/define/cause.ts'
import type { Observer } from '../../core/define/observer.ts'
import { CallsheetError } from '../../core/errors.ts'
import { makePrivateDirectory } from '../../core/private-directory.ts'
import type { Clock } from '../../core/time/clock.ts'
import { capitalize } from '../../core/values/text.ts'
import { isDatabaseAway } from '../../warehouse/database-errors.ts'
import { alertMessage } from '../alerts/alert-text.ts'
import type { Channel } from '../alerts/message.ts'

export interface DatabaseWatch {
  clock: Clock
  observer: Observer
  /** Returns true if the database can be used; otherwise the reason, if known. It never rejects. */
  ping(): Promise<boolean | CallsheetError>
  channels(): Promise<readonly Channel[]>
  /** Milliseconds between reminders. */
  remindMs: number
  /** Stores an open alert for this machine's next process; without it, a restart loses the alert. */
  memory?: OutageMemory
}

/** Since when the database or the service has been down, and when each channel was last alerted. */
export interface Outage {
  code: 'database_away' | 'service_down'
  sinceMs: number
  sent: Readonly<Record<string, number>>
}

export interface OutageMemory {
  read(): Outage | undefined
  /** Undefined: no alert is open. */
  store(outage: Outage | undefined): void
}

/**
 * Alerts each channel when the database has not responded for five minutes, sends reminders, and reports the
 * recovery. The open alert is stored on the machine, because the database cannot be reached, so each machine
 * sends its own.
 */
export async function watchDatabase(watch: DatabaseWatch, signal: AbortSignal): Promise<void> {
  const { clock, ping, memory } = watch
  const outage = memory?.read()
  const sent = new Map(Object.entries(outage?.sent ?? {}))
  let cause: Cause | undefined = outage && {
    ...causeOf(outage.sinceMs, false),
    code: outage.code,
  }
  while (!signal.aborted) {
    await clock.sleep(PING_MS, signal).catch(() => {})
    if (signal.aborted) return
    const answer = await ping()
    const isOver = answer === true
    const nowMs = clock.now()
    if (!isOver) cause = causeOf(cause?.sinceMs ?? nowMs, answer)
    if (cause === undefined) continue
    if (!isOver && nowMs - cause.sinceMs < PATIENCE_MS) continue
    await sendToAll(watch, { cause, isOver, sent }, signal)
    if (isOver && sent.size === 0) cause = undefined
    store(memory, cause, sent)
  }
}

/**
 * Sends an alert about an error that ended the process and that waiting does not fix, such as tables of a
 * newer version. The next process finds the alert open and resolves it.
 */
export async function alertEnd(
  watch: DatabaseWatch,
  { code, error }: { code: Outage['code']; error: CallsheetError },
): Promise<void> {
  const outage = watch.memory?.read()
  const sent = new Map(Object.entries(outage?.sent ?? {}))
  const away = causeOf(outage?.sinceMs ?? watch.clock.now(), error)
  const { tried, came } = error.facts
  const sentence = `Callsheet on ${hostname()} has ended: ${tried}: ${came}. Nothing is synced.`
  const cause = code === 'service_down' ? { ...away, code, sentence } : away
  await sendToAll(watch, { cause, isOver: false, sent }, new AbortController().signal)
  store(watch.memory, cause, sent)
}

function store(
  memory: OutageMemory | undefined,
  cause: Cause | undefined,
  sent: ReadonlyMap<string, number>,
): void {
  if (cause === undefined || sent.size === 0) return memory?.store(undefined)
  const code = cause.code === 'service_down' ? cause.code : 'database_away'
  memory?.store({ code, sinceMs: cause.sinceMs, sent: Object.fromEntries(sent) })
}

interface OutageState {
  cause: Cause
  isOver: boolean
  /** When each channel was last alerted. */
  sent: Map<string, number>
}

/** Sends a message to all channels; retries a failed channel after the next ping. */
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

function causeOf(sinceMs: number, answer: boolean | CallsheetError): Cause {
  const { tried, came, todo = UNKNOWN.todo } = typeof answer === 'boolean' ? UNKNOWN : answer.facts
  const why = came === '' ? '' : ` (${came})`
  const isAway = typeof answer === 'boolean' || isDatabaseAway(answer)
  return {
    code: 'database_away',
    account: undefined,
    subject: hostname(),
    level: 'red',
    sentence: isAway
      ? `The database does not answer ${hostname()}${why}: nothing is synced.`
      : `Callsheet on ${hostname()} cannot use its database: ${tried}: ${came}. Nothing is synced.`,
    todo: `${capitalize(todo)}.`,
    sinceMs,
  }
}

const UNKNOWN = {
  tried: '',
  came: '',
  todo: 'look whether Postgres runs and takes connections: callsheet doctor',
}
const PING_MS = 60_000
/** Longer than a restart of the database takes. */
const PATIENCE_MS = 300_000

/** Stores the open alert in a file of the state directory. Without the file the alert counts as not sent. */
export function createOutageMemory(stateDirectory: string, observer: Observer): OutageMemory {
  const file = join(stateDirectory, 'database-away.json')
  return {
    read() {
      try {
        return parseOutage(JSON.parse(readFileSync(file, 'utf8')))
      } catch {
        return undefined
      }
    },
    store(outage) {
      try {
        if (outage === undefined) return rmSync(file, { force: true })
        makePrivateDirectory(stateDirectory)
        writeFileSync(file, `${JSON.stringify(outage)}\n`, { mode: 0o600 })
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'error'
        observer.event('alert not kept', { code, level: 'warn' })
      }
    },
  }
}

function parseOutage(value: unknown): Outage | undefined {
  const { code, sinceMs, sent } = (value ?? {}) as Partial<Record<keyof Outage, unknown>>
  if (typeof sinceMs !== 'number' || typeof sent !== 'object' || sent === null) return undefined
  const times = Object.entries(sent).filter(([, atMs]) => typeof atMs === 'number')
  if (times.length === 0) return undefined
  const known = code === 'service_down' ? code : 'database_away'
  return { code: known, sinceMs, sent: Object.fromEntries(times) }
}

interface WaitOptions {
  clock: Clock
  observer: Observer
  signal: AbortSignal
  onAway?(error: CallsheetError): void
}

/**
 * Tries `open` until the database can be reached, because a booting machine starts the database and the
 * service at once. Rejects with any other error, and when the signal aborts.
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
