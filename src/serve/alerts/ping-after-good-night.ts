import type { Cause } from '../../core/define/cause.ts'
import type { Observer } from '../../core/define/observer.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { dueTimes } from '../../core/time/due-times.ts'
import { isDone, MOST_SKEW_MS } from '../../core/time/next-start.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { claimAlerts, lastRecovered, recordSent, recordUnsent } from '../ledger/alerts.ts'
import { attemptsInLedger } from '../ledger/attempts.ts'
import type { Work } from '../queue/dispatcher.ts'

export interface PingDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
  /** Rejects unless the switch accepted the ping. */
  ping(signal?: AbortSignal): Promise<void>
  signal?: AbortSignal
}

/**
 * `red`: a red cause is open. `not_yet`: a job that is due today has not finished. `already`: a ping was sent
 * today.
 */
export type PingOutcome = 'sent' | 'failed' | 'red' | 'not_yet' | 'already'

/**
 * Pings the dead man's switch once in a UTC day, after all jobs that were due since the last ping have
 * finished and no other job becomes due for the first time that day. Sends nothing while a red cause is open,
 * or on a day without due jobs. A later call repeats a failed ping.
 */
export async function pingAfterGoodNight(
  deps: PingDeps,
  { works, causes }: { works: readonly Work[]; causes: readonly Cause[] },
): Promise<PingOutcome> {
  const { warehouse, clock, observer, signal } = deps
  if (causes.some(({ level }) => level === 'red')) return 'red'
  const nowMs = clock.now()
  const day = utcDay(nowMs)
  const isOver = (lastMs: number | undefined) => lastMs !== undefined && utcDay(lastMs) >= day
  const lastMs = await lastRecovered(warehouse.db, CHANNEL)
  if (isOver(lastMs)) return 'already'
  if (!(await allDone(warehouse, works, { sinceMs: lastMs ?? Date.parse(day) - 1, nowMs })))
    return 'not_yet'
  const claim = { channel: CHANNEL, claim: crypto.randomUUID(), nowMs }
  const { causes: mine } = await claimAlerts(warehouse, claim, ([row]) => {
    const isLeft = row?.busy === true || isOver(row?.recoveredMs)
    const untold = { ...GOOD_NIGHT, sinceMs: nowMs }
    return { causes: new Map(isLeft ? [] : [[CHANNEL, untold]]), recovered: [], dropped: [] }
  })
  if (mine.size === 0) return 'already'
  try {
    await deps.ping(signal)
  } catch (error) {
    const code = error instanceof CallsheetError ? error.code : 'unexpected'
    await recordUnsent(warehouse, claim, signal?.aborted === true ? undefined : code)
    if (signal?.aborted === true) throw error
    observer.event('ping failed', { level: 'warn', code })
    return 'failed'
  }
  await recordSent(warehouse, claim, { told: [], reminded: [], recovered: [CHANNEL] })
  observer.event('ping sent', { day })
  return 'sent'
}

/**
 * Whether all due jobs have finished. If a job was due several times, only the last time counts. Before the
 * first ping, today counts.
 */
async function allDone(
  warehouse: Warehouse,
  works: readonly Work[],
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<boolean> {
  const dayEndMs = Date.parse(utcDay(nowMs)) + DAY_MS
  const due = works
    .map((work) => ({ work, times: dueTimes(work) }))
    .map(({ work, times }) => ({ work, times, firstMs: times.next(sinceMs) ?? dayEndMs }))
    .filter(({ firstMs }) => firstMs < dayEndMs)
  if (due.length === 0 || due.some(({ firstMs }) => firstMs > nowMs)) return false
  const asked = due.map(({ work, times }) => ({
    account: work.account,
    job: work.job,
    sinceMs: (times.last(nowMs) ?? nowMs) - MOST_SKEW_MS,
  }))
  const attempts = await attemptsInLedger(warehouse, asked)
  return due.every(({ times }, at) => isDone(times, attempts[at] ?? [], nowMs))
}

const CHANNEL = 'ping'
/** A cause for pings, which is open until the switch accepts the ping. */
const GOOD_NIGHT = {
  code: 'good_night',
  account: undefined,
  subject: '',
  level: 'amber',
  sentence: "The dead man's switch was not pinged after a good night.",
  todo: 'Look at `alerts.ping`.',
} as const
