import { batchesOf } from '../../apply/batches.ts'
import { isToDo, type KindPlan } from '../../apply/plan.ts'
import type { SettledItem } from '../../apply/settle.ts'
import type { Action, PlanItem } from '../../core/define/desired.ts'
import { count, counted } from '../../core/values/quantities.ts'
import { type Output } from '../frame/output.ts'

export interface PlanCounts {
  toDo: number
  refused: number
  waiting: number
  present: number
  calls: number
}

export function countPlan(plans: readonly KindPlan[]): PlanCounts {
  const items = plans.flatMap((plan) => plan.items)
  const of = (action: Action): number => items.filter((item) => item.action === action).length
  const calls = plans.map((plan) => batchesOf(plan.items.filter(isToDo)).length)
  return {
    toDo: items.filter(isToDo).length,
    refused: of('refused'),
    waiting: of('waiting'),
    present: of('present'),
    calls: calls.reduce((sum, one) => sum + one, 0),
  }
}

/** Prints up to `MOST_SHOWN` items of each kind that do not match yet, and counts those that do. */
export function printPlan(output: Output, plans: readonly KindPlan[], counts: PlanCounts): void {
  for (const { desired, items } of plans) {
    const shown = items.filter(({ action }) => action !== 'present')
    if (shown.length === 0) continue
    output.line(desired.title)
    for (const item of shown.slice(0, MOST_SHOWN)) printItem(output, item)
    if (shown.length > MOST_SHOWN)
      output.line(`  and ${count(shown.length - MOST_SHOWN)} more: --json shows all of them`)
    output.line()
  }
  const { toDo, refused, waiting, present, calls } = counts
  output.line(
    [
      `${counted(toDo, 'change')} in ${counted(calls, 'call')}`,
      `${count(present)} as wanted`,
      ...(waiting > 0 ? [`${count(waiting)} waiting`] : []),
      ...(refused > 0 ? [`${count(refused)} refused`] : []),
    ].join(', '),
  )
}

function printItem(output: Output, { action, what, details, why, place }: PlanItem): void {
  const said = [details, why].filter((text) => text !== undefined).join(': ')
  const where = action === 'refused' ? ` (${place})` : ''
  output.line(`  ${SIGNS[action]} ${action.padEnd(7)}  ${what}: ${said}${where}`)
}

/** Counts the items that are done or accepted, and prints the results of up to `MOST_SHOWN` others. */
export function printSettled(output: Output, settled: readonly SettledItem[]): void {
  const of = (wanted: SettledItem['state']) =>
    settled.filter(({ state }) => state === wanted).length
  const all = count(settled.length)
  const unread = of('sent')
  output.line(`${count(of('done'))} of ${all} done and verified.`)
  if (unread > 0)
    output.line(`${count(unread)} of ${all} accepted by the service, but not verified.`)
  const open = settled.filter(({ state }) => state !== 'done' && state !== 'sent')
  for (const { item, state, reason } of open.slice(0, MOST_SHOWN))
    output.line(`  ${WORDS[state].padEnd(9)} ${item.what}: ${reason ?? item.details ?? ''}`)
  if (open.length > MOST_SHOWN)
    output.line(`  and ${count(open.length - MOST_SHOWN)} more: --json shows all of them`)
}

export function planAsJson(plans: readonly KindPlan[]): object[] {
  return plans.flatMap(({ desired, items }) =>
    items.map(({ what, place, action, details = null, why = null }) => ({
      kind: desired.name,
      what,
      place,
      action,
      details,
      why,
    })),
  )
}

export function settledAsJson(settled: readonly SettledItem[]): object[] {
  return settled.map(({ item, state, reason = null }) => ({
    what: item.what,
    place: item.place,
    action: item.action,
    state,
    reason,
  }))
}

const MOST_SHOWN = 200
const SIGNS: Readonly<Record<Action, string>> = {
  add: '+',
  change: '~',
  remove: '-',
  present: ' ',
  waiting: '…',
  refused: '!',
}
const WORDS: Readonly<Record<SettledItem['state'], string>> = {
  done: 'done',
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
  not_sent: 'not sent',
  not_seen: 'not seen',
}
