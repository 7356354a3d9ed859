import { type Cause, nameOfCause } from '../../core/define/cause.ts'
import type { Observer } from '../../core/define/observer.ts'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { type AlertRow, claimAlerts, recordSent, recordUnsent } from '../ledger/alerts.ts'
import { alertMessage } from './alert-text.ts'
import { type AlertRules, decideAlerts, type KnownAlert } from './decide-alerts.ts'
import type { Channel, ChannelName } from './message.ts'

export interface AlertDeps {
  warehouse: Warehouse
  clock: Clock
  observer: Observer
  channels: readonly Channel[]
  rules: Pick<AlertRules, 'level' | 'remindMs'>
  signal?: AbortSignal
}

/** The alerts that were sent on one channel. */
export interface ChannelResult {
  channel: ChannelName
  told: number
  reminded: number
  recovered: number
  /** The error code if sending failed; the next check sends the message again. */
  error?: string
}

/**
 * Sends one message per channel that has alerts to send. A channel that fails does not stop the others; the
 * next check sends its message again. `judged` lists the accounts that were checked, with undefined for the
 * installation; without `judged`, all were checked. Only causes of checked accounts can be resolved.
 */
export async function sendAlerts(
  deps: AlertDeps,
  causes: readonly Cause[],
  judged?: readonly Cause['account'][],
): Promise<ChannelResult[]> {
  // Waits for all channels, so that none is still sending when the caller closes the database.
  const ended = await Promise.allSettled(
    deps.channels.map((channel) => tellOn(deps, channel, { causes, judged })),
  )
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

interface Judgement {
  causes: readonly Cause[]
  judged: readonly Cause['account'][] | undefined
}

async function tellOn(
  deps: AlertDeps,
  channel: Channel,
  judgement: Judgement,
): Promise<ChannelResult> {
  const { warehouse, clock, observer, signal } = deps
  const nowMs = clock.now()
  const claim = { channel: channel.name, claim: crypto.randomUUID(), nowMs }
  const chosen = await claimAlerts(warehouse, claim, (rows) =>
    choose(rows, judgement, { ...deps.rules, nowMs }),
  )
  const { told, reminded, recovered } = chosen
  const count = told.length + reminded.length + recovered.length
  const counts = { told: told.length, reminded: reminded.length, recovered: recovered.length }
  if (count === 0) return { channel: channel.name, ...counts }
  const over = chosen.over.map(({ cause }) => cause)
  try {
    const facts = { told: chosen.tell, reminded: chosen.remind, recovered: over }
    const remark = await channel.send(alertMessage(facts, nowMs), signal)
    if (remark !== undefined)
      observer.event('alert warning', { channel: channel.name, reason: remark })
  } catch (error) {
    const { code, text } = faultOf(error)
    await recordUnsent(warehouse, claim, signal?.aborted === true ? undefined : code)
    if (signal?.aborted === true) throw error
    observer.event('alert failed', {
      level: 'warn',
      channel: channel.name,
      code,
      error: text,
      count,
    })
    return { channel: channel.name, ...NOTHING, error: code }
  }
  await recordSent(warehouse, claim, { told, reminded, recovered })
  observer.event('alert sent', { channel: channel.name, count })
  return { channel: channel.name, ...counts }
}

/** Chooses the alerts to send, except for causes that another process is sending now. */
function choose(rows: readonly AlertRow[], { causes, judged }: Judgement, rules: AlertRules) {
  const busy = new Set(rows.filter((row) => row.busy).map(({ name }) => name))
  const mine = causes.filter((cause) => !busy.has(nameOfCause(cause)))
  const isJudged = ({ cause: { account } }: AlertRow): boolean =>
    judged === undefined || judged.includes(account)
  const known = rows.filter((row) => !busy.has(row.name) && isJudged(row)).map(knownOf)
  const { tell, remind, recovered: over } = decideAlerts(known, mine, rules)
  const present = new Set(mine.map(nameOfCause))
  const named = (list: readonly Cause[]) =>
    new Map(list.map((cause) => [nameOfCause(cause), cause]))
  return {
    tell,
    remind,
    over,
    causes: named([...tell, ...remind]),
    told: tell.map(nameOfCause),
    reminded: remind.map(nameOfCause),
    recovered: over.map(({ name }) => name),
    dropped: known
      .filter(
        ({ name, toldMs, recovered }) => toldMs === undefined && !recovered && !present.has(name),
      )
      .map(({ name }) => name),
  }
}

/** Returns a cause's state. It begins no later than its first alert, even if a later check found it anew. */
function knownOf({ name, cause: last, toldLevel, ...row }: AlertRow): KnownAlert {
  const { toldMs, firstToldMs = last.sinceMs, recoveredMs } = row
  const cause = { ...last, sinceMs: Math.min(last.sinceMs, firstToldMs) }
  return { name, cause, toldLevel, toldMs, recovered: recoveredMs !== undefined }
}

/** Describes an error. The text of an unknown error may contain anything, so only its name is logged. */
function faultOf(error: unknown): { code: string; text: string } {
  if (error instanceof CallsheetError) return { code: error.code, text: error.message }
  return { code: 'unexpected', text: error instanceof Error ? error.name : 'an error' }
}

const NOTHING = { told: 0, reminded: 0, recovered: 0 }
