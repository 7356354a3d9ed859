import { historyLimitOf } from '../../core/define/history-limit.ts'
import type { SliceRequest, Stream } from '../../core/define/stream.ts'
import type { Owned } from '../../core/records/row-batch.ts'
import { overlaps, type Window } from '../../core/time/spans.ts'
import { DAY_MS, utcDay } from '../../core/time/time.ts'
import type { SliceHistory } from '../ledger/slice-histories.ts'
import { type EndRange, monthEnds } from './month-ends.ts'
import {
  askedWindow,
  shownWindow,
  type WindowBlock,
  type WindowLimits,
  windowBlocks,
} from './windows.ts'

export interface PlannedSlice {
  request: SliceRequest
  owned: WindowBlock | undefined
  /** The instants that the response may show; undefined if the request has no bounds. */
  shown?: Window
  /** The key of the parent row, for fan-out. */
  parent: readonly string[] | undefined
  /** The digest of the parent's version fields at planning time. */
  version?: string
  /** Not due, but read to look for certain rows. The slice does not count as checked for deletion. */
  added?: true
  /** The parent is in a list outside the windows, such as the trash: its children may be gone. */
  besides?: true
  /** The month's end around which days are requested; a service may refuse such a range. */
  monthEndMs?: number
  /** When the parent expires. */
  expiresAtMs?: number
  /** The request needs time bounds, and the parent has no times to derive them from. */
  boundless?: true
  history: SliceHistory | undefined
}

/** Slices that are checked together: rows that the group owns, but no slice shows, are missing. */
export interface PlannedGroup {
  stream: Stream
  owned: Owned
  slices: PlannedSlice[]
  /** No row counts as missing, because the lists show only some of the rows that `owned` covers. */
  incremental?: true
  /** The parents of its lists expire within a week, so it is read before other groups. */
  expiring?: true
  /** The account could read some list of the stream before, so a refusal concerns only the refused list. */
  answered?: true
  /** Due slices that this group's list replaces, since it shows the rows of all of them. */
  serves?: readonly PlannedSlice[]
  /** The service may not have shown all days of the months, so a row that is not shown may still exist. */
  unproven?: true
}

export type PlanTime = Pick<PlanFacts, 'nowMs' | 'historyDays' | 'withoutTrash'>

export interface PlanFacts {
  nowMs: number
  /** The first run of the chain that this run resumes. Slices completed since then are not read again. */
  chainRunId: number
  histories: ReadonlyMap<string, SliceHistory>
  /** Plan all windows within the history limit that the chain has not read. */
  full: boolean
  /** Plan only the windows that touch this range; for streams of windows. */
  range?: Window | undefined
  /** As in `EngineDeps`. */
  historyDays?: number | undefined
  withoutTrash?: boolean | undefined
}

/** The due slices of a snapshot or of a stream of windows, in groups. */
export function planStream(stream: Stream, facts: PlanFacts): PlannedGroup[] {
  const { sync } = stream
  if (sync.kind === 'snapshot') return planSnapshot(stream, known(sync.requests(), facts), facts)
  if (sync.kind === 'windows') return planWindows(stream, sync, facts)
  return []
}

function planSnapshot(stream: Stream, requests: SliceRequest[], facts: PlanFacts): PlannedGroup[] {
  const slices = requests.map((request) => plain(request, facts))
  if (slices.every((slice) => readByChain(slice.history, facts))) return []
  return [{ stream, owned: { kind: 'all' }, slices }]
}

export type WindowSync = Extract<Stream['sync'], { kind: 'windows' }>

/** The windows within the history limit, each with its history in the ledger. */
export function windowsOf(sync: WindowSync, facts: PlanFacts): PlannedSlice[] {
  const limits = limitsOf(sync, facts)
  return blocksOf(sync, facts).map((owned) => {
    const history = facts.histories.get(lastNameOf(owned, facts))
    return { ...windowOf(sync, owned, limits), history }
  })
}

export function windowOf(sync: WindowSync, owned: WindowBlock, limits: WindowLimits): PlannedSlice {
  const request = { ...sync.request(askedWindow(owned, limits)), slice: blockName(owned) }
  const shown = shownWindow(owned, limits)
  return { request, owned, shown, parent: undefined, history: undefined }
}

export function blocksOf(sync: WindowSync, facts: PlanFacts): WindowBlock[] {
  return windowBlocks(limitsOf(sync, facts), (block) => facts.histories.get(blockName(block)))
}

export function limitsOf(sync: WindowSync, { nowMs, historyDays }: PlanTime): WindowLimits {
  const { spanDays, overlapDays, byMonth = false } = sync
  const historyLimitDays = historyLimitOf(sync, historyDays)
  return { nowMs, historyLimitDays, spanDays, overlapDays, byMonth }
}

export function listsBesides({ besides }: WindowSync, facts: PlanTime): SliceRequest[] {
  return known(besides?.() ?? [], facts)
}

/** Leaves out the trash if the service has none. */
function known(requests: SliceRequest[], { withoutTrash }: PlanTime): SliceRequest[] {
  return requests.filter(({ filter }) => withoutTrash !== true || filter.trash === undefined)
}

function planWindows(stream: Stream, sync: WindowSync, facts: PlanFacts): PlannedGroup[] {
  const candidates = windowsOf(sync, facts)
  const due = dueBlocks(candidates, sync, facts)
  if (sync.besides === undefined) {
    const windows = due.map(
      (slice): PlannedGroup => ({
        stream,
        owned: { kind: 'windows', column: sync.cursor, windows: [slice.owned as Window] },
        slices: [slice],
      }),
    )
    const blocks = due.flatMap(({ owned }) => owned ?? [])
    const ends = planEnds(stream, monthEnds(blocks, limitsOf(sync, facts)), facts.histories)
    return [...planIncremental(stream, { sync, candidates }, facts), ...ends, ...windows]
  }
  const besides = listsBesides(sync, facts).map((request) => plain(request, facts))
  if (due.length === 0 && besides.every((slice) => readByChain(slice.history, facts))) return []
  const windows = due.map((slice) => slice.owned as Window)
  const beside = sync.besidesColumn === undefined ? {} : { orTrue: sync.besidesColumn }
  return [
    {
      stream,
      owned: { kind: 'windows', column: sync.cursor, windows, ...beside },
      slices: [...due, ...besides],
    },
  ]
}

/**
 * Plans to read the changes since the windows were read, in blocks of a week. A block is due until it is read
 * after its end. Older changes were shown by the windows themselves.
 */
export function planIncremental(
  stream: Stream,
  { sync, candidates }: { sync: WindowSync; candidates: readonly PlannedSlice[] },
  facts: PlanFacts,
): PlannedGroup[] {
  if (sync.incremental === undefined || facts.range !== undefined) return []
  const { nowMs } = facts
  const [spanMs, overlapMs] = [NEWS_DAYS * DAY_MS, sync.overlapDays * DAY_MS]
  const readAt = candidates.flatMap(({ history }) => history?.requestedAtMs ?? [])
  const sinceMs = Math.max(Math.min(nowMs, ...readAt), nowMs - REREAD_DAYS * DAY_MS)
  const slices: PlannedSlice[] = []
  for (let fromMs = Math.floor(nowMs / spanMs) * spanMs; ; fromMs -= spanMs) {
    const toMs = fromMs + spanMs
    if (toMs <= sinceMs) break
    const slice = `modified=${blockName({ fromMs, toMs })}`
    const history = facts.histories.get(slice)
    if (readByChain(history, facts) || (history?.completeAtMs ?? 0) >= toMs + overlapMs) continue
    const asked = { fromMs: fromMs - overlapMs, toMs: Math.min(toMs + overlapMs, nowMs) }
    const request = { slice, arguments: sync.incremental(asked), filter: {} }
    slices.push({ request, owned: undefined, parent: undefined, history })
  }
  return slices.length === 0 ? [] : [{ stream, owned: { kind: 'all' }, slices, incremental: true }]
}

/** Plans the days around the ends of months. No row counts as missing from these ranges. */
export function planEnds(
  stream: Stream,
  ends: readonly EndRange[],
  histories: PlanFacts['histories'],
): PlannedGroup[] {
  const { sync } = stream
  if (ends.length === 0 || sync.kind !== 'windows') return []
  const slices = ends.map(({ slice, monthEndMs, asked, shown }): PlannedSlice => {
    const request = { ...sync.request(asked), slice }
    const of = { owned: shown, shown, parent: undefined, history: histories.get(slice) }
    return { request, ...of, monthEndMs }
  })
  const windows = ends.map(({ shown }) => shown)
  const owned: Owned = { kind: 'windows', column: sync.cursor, windows }
  return [{ stream, owned, slices, incremental: true }]
}

/**
 * Returns the blocks that the chain has not read: with a `range` those that touch it, with `full` all. Else
 * recent ones; one cut by the history limit; unread, unchecked and held-back ones; those read at least
 * `REREAD_DAYS` ago; and a few of those read more than half as long ago, the oldest first.
 */
function dueBlocks(candidates: PlannedSlice[], sync: WindowSync, facts: PlanFacts): PlannedSlice[] {
  const { full, range } = facts
  const open = candidates.filter((slice) => !readByChain(slice.history, facts))
  if (range !== undefined) return open.filter(({ owned }) => overlaps(owned as Window, range))
  if (full) return open
  const ageDays = (slice: PlannedSlice): number =>
    (facts.nowMs - (slice.history?.completeAtMs ?? Number.NEGATIVE_INFINITY)) / DAY_MS
  const recentFrom = facts.nowMs - sync.lookbackDays * DAY_MS
  const isDue = (slice: PlannedSlice): boolean =>
    (slice.owned?.toMs ?? 0) > recentFrom ||
    slice.owned?.cutFromMs !== undefined ||
    ageDays(slice) >= REREAD_DAYS ||
    slice.history?.unchecked === true ||
    slice.history?.heldBack === true
  const rest = open.filter((slice) => !isDue(slice) && ageDays(slice) > REREAD_DAYS / 2)
  rest.sort((a, b) => ageDays(b) - ageDays(a))
  const few = new Set(rest.slice(0, Math.ceil(candidates.length / REREAD_DAYS)))
  return open.filter((slice) => isDue(slice) || few.has(slice))
}

function plain(request: SliceRequest, facts: PlanFacts): PlannedSlice {
  return {
    request,
    owned: undefined,
    parent: undefined,
    history: facts.histories.get(request.slice),
  }
}

export function readByChain(history: SliceHistory | undefined, facts: PlanFacts): boolean {
  return history?.completeRunId !== undefined && history.completeRunId >= facts.chainRunId
}

/**
 * A block is named by the days it owns, whatever overlap is requested around it. A block cut by the history
 * limit has one name for all nights, different from the name of the whole block, which stays in the ledger.
 */
function blockName({ fromMs, toMs, cutFromMs }: WindowBlock): string {
  return `${cutFromMs === undefined ? utcDay(fromMs) : ''}..${utcDay(toMs)}`
}

/** The name of the block's last read. Before its first read, a cut block uses the name of the whole block. */
export function lastNameOf(block: WindowBlock, { histories }: PlanFacts): string {
  const name = blockName(block)
  const { cutFromMs, toMs } = block
  if (cutFromMs === undefined || histories.has(name)) return name
  return blockName({ fromMs: cutFromMs, toMs })
}

const REREAD_DAYS = 30
const NEWS_DAYS = 7
