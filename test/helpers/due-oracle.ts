import type { Stream } from '../../src/core/define/stream.ts'
import type { SliceHistory } from '../../src/sync/ledger/slice-histories.ts'
import type { ParentRow } from '../../src/warehouse/load/parent-rows.ts'

type FanOut = Extract<Stream['sync'], { kind: 'fan-out' }>
type Held = ParentRow & { held: boolean }

interface Facts {
  nowMs: number
  chainRunId: number
  histories: ReadonlyMap<string, SliceHistory>
  full: boolean
}

interface Due {
  name: string
  history: SliceHistory | undefined
  presses: boolean
}

const DAY_MS = 86_400_000

/** The planner's expected result: which of these parents are due, and in which order. */
export function dueOf(sync: FanOut, parents: readonly Held[], facts: Facts): Due[] {
  const due: Due[] = []
  const aging: Due[] = []
  const most = sync.again?.maxAgeDays ?? Infinity
  for (const parent of parents) {
    const [id = ''] = parent.key
    if (sync.nothingOf !== undefined && id.startsWith(sync.nothingOf)) continue
    const name = sync.request(parent.key).slice
    const history = facts.histories.get(name)
    if (history?.completeRunId !== undefined && history.completeRunId >= facts.chainRunId) continue
    const soon = (parent.expiresAtMs ?? Infinity) <= facts.nowMs + 7 * DAY_MS
    const one = { name, history, presses: failures(history) === 0 && soon }
    if (!facts.full && waits(sync, parent, { history, facts })) continue
    if (facts.full || !isSettled(sync, parent, { history, facts })) due.push(one)
    else if (ageDays(history, facts) >= most / 2) aging.push(one)
  }
  const share = Math.floor((2 * parents.length) / most)
  aging.sort((a, b) => completeAt(a.history) - completeAt(b.history))
  due.push(...aging.slice(0, share))
  due.sort(
    (a, b) =>
      failures(a.history) - failures(b.history) || completeAt(a.history) - completeAt(b.history),
  )
  return [...due.filter(({ presses }) => presses), ...due.filter(({ presses }) => !presses)]
}

interface Told {
  history: SliceHistory | undefined
  facts: Facts
}

function isSettled({ again }: FanOut, { version, held }: Held, { history, facts }: Told): boolean {
  if (history?.heldBack === true) return false
  if (again === undefined)
    return history?.final === true && (history.version ?? version) === version
  if (history?.completeAtMs === undefined || history.unchecked) return false
  if (history.version !== version || (history.received > 0 && !held)) return false
  const keepsDays = history.taken ? Math.min(7, again.maxAgeDays) : again.maxAgeDays
  return ageDays(history, facts) < keepsDays
}

function waits({ again }: FanOut, { version }: Held, { history, facts }: Told): boolean {
  if (again === undefined || history?.absentAtMs === undefined) return false
  if (history.heldBack || history.absentVersion !== version) return false
  const days = Math.min(history.absences - 1, again.maxAgeDays, 7)
  return facts.nowMs - history.absentAtMs < (days - 0.5) * DAY_MS
}

function ageDays(history: SliceHistory | undefined, { nowMs }: Facts): number {
  return (nowMs - (history?.completeAtMs ?? Number.NEGATIVE_INFINITY)) / DAY_MS
}

const failures = (history: SliceHistory | undefined): number =>
  (history?.failures ?? 0) + (history?.refusals ?? 0) + (history?.absences ?? 0)
const completeAt = (history: SliceHistory | undefined): number => history?.completeAtMs ?? 0
