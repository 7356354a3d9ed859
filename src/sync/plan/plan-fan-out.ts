import { chunks } from '../../core/chunks.ts'
import type { Stream } from '../../core/define/stream.ts'
import { wireKey } from '../../core/records/record-key.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { ParentRow } from '../../warehouse/load/parent-rows.ts'
import type { SliceHistory } from '../ledger/slice-histories.ts'
import { type PlanFacts, type PlannedGroup, type PlannedSlice, readByChain } from './plan-stream.ts'

type FanOut = Extract<Stream['sync'], { kind: 'fan-out' }>

/**
 * Which parents of a fan-out stream are due, `BUNDLE` to a group: those never read first, in the order
 * given, so that a quota that is too small for all gets on each day; then those read longest ago. Of the
 * lists that will be too old within half their time a share comes each night, so that what was first read in
 * one night is not read again in one.
 */
export function planFanOut(
  stream: Stream,
  parents: readonly ParentRow[],
  facts: PlanFacts,
): PlannedGroup[] {
  const { sync } = stream
  if (sync.kind !== 'fan-out') return []
  const slices: PlannedSlice[] = []
  const aging: PlannedSlice[] = []
  let answered = false
  for (const parent of parents) {
    if (sync.asks?.(parent.key) === false) continue
    const { slice } = sync.request(parent.key)
    const request = { ...sync.request(parent.key.map(wireKey), parent.span), slice }
    const history = facts.histories.get(request.slice)
    answered ||= history?.listed === true
    if (readByChain(history, facts)) continue
    const version = parent.version === '' ? {} : { version: parent.version }
    const besides = parent.besides === true ? { besides: true as const } : {}
    const lost = sync.within !== undefined && parent.span === undefined
    const boundless = lost ? { boundless: true as const } : {}
    const { expiresAtMs } = parent
    const expiry = expiresAtMs === undefined ? {} : { expiresAtMs }
    const known = { ...version, ...besides, ...boundless, ...expiry }
    const own = { owned: undefined, parent: parent.key, ...known }
    const planned: PlannedSlice = { request, history, ...own }
    if (!facts.full && waits(sync, parent, { history, facts })) continue
    if (facts.full || !isSettled(sync, parent, { history, facts })) slices.push(planned)
    else if (ageDays(planned, facts) >= (sync.again?.maxAgeDays ?? Infinity) / 2)
      aging.push(planned)
  }
  const share = Math.floor((2 * parents.length) / (sync.again?.maxAgeDays ?? 1))
  aging.sort((a, b) => completeAt(a) - completeAt(b))
  slices.push(...aging.slice(0, share))
  slices.sort((a, b) => failures(a) - failures(b) || completeAt(a) - completeAt(b))
  const presses = (slice: PlannedSlice): boolean =>
    failures(slice) === 0 && (slice.expiresAtMs ?? Infinity) <= facts.nowMs + PRESSING_DAYS * DAY_MS
  const groupOf = (bundle: PlannedSlice[]): PlannedGroup => {
    const keys = bundle.map((slice) => slice.parent?.[0] ?? '')
    const owned = { kind: 'parents', column: stream.key[0] as string, keys } as const
    return { stream, owned, slices: bundle, ...(answered ? { answered } : {}) }
  }
  const expiring = chunks(slices.filter(presses), BUNDLE).map(groupOf)
  const others = chunks(
    slices.filter((slice) => !presses(slice)),
    BUNDLE,
  ).map(groupOf)
  return [...expiring.map((group) => ({ ...group, expiring: true as const })), ...others]
}

/**
 * Read at the version that the parent still has, not too long ago, and with nothing held back; and what was
 * read is still held, which it is not where the parent was called gone since and has come back. Without
 * versions: once it is settled, as long as the instants that its request is told stay the same. One that was
 * taken from us is asked for again each week: a permission may have come back.
 */
function isSettled(
  { again }: FanOut,
  { version, held }: ParentRow,
  { history, facts }: { history: SliceHistory | undefined; facts: PlanFacts },
): boolean {
  if (history?.heldBack === true) return false
  if (again === undefined)
    return history?.final === true && (history.version ?? version) === version
  if (history?.completeAtMs === undefined || history.unchecked) return false
  if (history.version !== version || (history.received > 0 && !held)) return false
  const keepsDays = history.taken ? Math.min(ABSENT_DAYS, again.maxAgeDays) : again.maxAgeDays
  return ageDays({ history }, facts) < keepsDays
}

/**
 * A list that is not there although its parent is held is asked for again ever less often, each week in the
 * end: one answer may be wrong, and all of a kind may answer so for good. What may expire is asked for each
 * time.
 */
function waits(
  { again }: FanOut,
  { version }: ParentRow,
  { history, facts }: { history: SliceHistory | undefined; facts: PlanFacts },
): boolean {
  if (again === undefined || history?.absentAtMs === undefined) return false
  if (history.heldBack || history.absentVersion !== version) return false
  const days = Math.min(history.absences - 1, again.maxAgeDays, ABSENT_DAYS)
  // Half a day less, as a night's run does not begin at the same second each time.
  return facts.nowMs - history.absentAtMs < (days - 0.5) * DAY_MS
}

function ageDays({ history }: Pick<PlannedSlice, 'history'>, { nowMs }: PlanFacts): number {
  return (nowMs - (history?.completeAtMs ?? Number.NEGATIVE_INFINITY)) / DAY_MS
}

/** Refused lists go behind those not asked for, or the same ones would be refused each night. */
const failures = ({ history }: PlannedSlice): number =>
  (history?.failures ?? 0) + (history?.refusals ?? 0) + (history?.absences ?? 0)
const completeAt = ({ history }: PlannedSlice): number => history?.completeAtMs ?? 0

const BUNDLE = 50
const PRESSING_DAYS = 7
const ABSENT_DAYS = 7
