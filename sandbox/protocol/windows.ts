import { addMonths, day, isoSecond } from '../base/wire-time.ts'
import type { Readings } from '../readings/readings.ts'
import type { SandboxCall } from './call.ts'
import { badParameter } from './refusal.ts'

/** A requested window, as text and as instants. */
export interface Asked {
  from: string
  to: string
  fromMs: number
  /** The instant of `to`; of a day, its start. Each list decides whether it includes that day or instant. */
  toMs: number
}

/** Reads a window of whole days, including the first and the last; default: today. */
export function dayWindow(
  call: SandboxCall,
  settled: Bounds | undefined,
  required: boolean,
): Asked {
  const today = day(call.nowMs)
  if (settled !== undefined) return asked(settled.from, settled.to)
  const from = readBound(call, 'from', required) ?? today
  const to = readBound(call, 'to', required) ?? today
  for (const [field, value] of Object.entries({ from, to }))
    if (!isDay(value)) throw badParameter(field, 'must be yyyy-mm-dd')
  if (Date.parse(from) > Date.parse(to)) throw badParameter('from', 'must not be after to')
  return asked(...narrow({ from, to, now: today, print: day, readings: call.readings }))
}

/** Reads a window of instants; default: since midnight. */
export function instantWindow(call: SandboxCall, settled: Bounds | undefined): Asked {
  const now = isoSecond(call.nowMs)
  if (settled !== undefined) return asked(settled.from, settled.to)
  const from = readBound(call, 'from', false) ?? `${now.slice(0, 10)}T00:00:00Z`
  const to = readBound(call, 'to', false) ?? now
  for (const [field, value] of Object.entries({ from, to }))
    if (!INSTANT.test(value) || Number.isNaN(Date.parse(value)))
      throw badParameter(field, 'must be a date-time', 34002)
  if (Date.parse(from) > Date.parse(to)) throw badParameter('from', 'must not be after to', 34002)
  return asked(...narrow({ from, to, now, print: isoSecond, readings: call.readings }))
}

/** Returns the earliest day of session reports. */
export function sixMonthsBack(nowMs: number): string {
  return day(addMonths(Date.parse(day(nowMs)), -6))
}

type Bounds = { from: string; to: string }

/**
 * Narrows a window: a future `to` becomes now or is refused, by the readings. A window of more than a month
 * becomes a month.
 */
function narrow(window: {
  from: string
  to: string
  now: string
  print(ms: number): string
  readings: Readings
  parameterCode?: number
}): [string, string] {
  const { now, print, readings } = window
  const nowMs = Date.parse(now)
  let { from, to } = window
  if (Date.parse(to) > nowMs && readings.futureTo === 'refused')
    throw badParameter('to', 'must not be in the future', window.parameterCode)
  if (Date.parse(to) > nowMs) to = now
  if (Date.parse(from) > Date.parse(to)) from = to
  if (addMonths(Date.parse(from), 1) >= Date.parse(to)) return [from, to]
  return readings.narrowing === 'keep-from'
    ? [from, print(addMonths(Date.parse(from), 1))]
    : [print(addMonths(Date.parse(to), -1)), to]
}

function readBound(call: SandboxCall, field: 'from' | 'to', required: boolean): string | undefined {
  const value = call.query.get(field)
  if (value === undefined && required) throw badParameter(field, 'is required')
  return value
}

function asked(from: string, to: string): Asked {
  return { from, to, fromMs: Date.parse(from), toMs: Date.parse(to) }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/
