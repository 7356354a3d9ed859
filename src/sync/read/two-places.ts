import type { SliceRequest, Stream } from '../../core/define/stream.ts'
import { CallsheetError, isDaySpent } from '../../core/errors.ts'
import { joinKey } from '../../core/records/record-key.ts'
import type { PlacedRow } from '../../core/records/row-batch.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { WireRecord } from '../../core/values/json.ts'
import { counted } from '../../core/values/quantities.ts'
import { limitsOf, windowOf } from '../plan/plan-stream.ts'
import type { RunContext } from '../run/run-context.ts'
import { instantIn } from './check-asked.ts'
import { readOnce } from './read-once.ts'

/**
 * Whether the list of the place where a row is stored no longer shows it: then it has moved between the reads
 * of two lists. False if that list cannot be read. Two records with one key stay in both lists.
 */
export async function hasMoved(
  run: RunContext,
  stream: Stream,
  { row, column, held: place }: PlacedRow,
): Promise<boolean> {
  const request = requestFor(run, stream, { column, place })
  if (request === undefined) return false
  const name = `${stream.name} ${request.slice}`
  const { placesSeen } = run
  if (!placesSeen.has(name) && placesSeen.size >= MOST_LISTS) return false
  const asked = placesSeen.get(name) ?? placesIn(run, stream, { column, request })
  placesSeen.set(name, asked)
  const seen = await asked
  return seen !== undefined && seen.get(joinKey(row.key))?.has(nameOf(stream, place)) !== true
}

/** The request for the list of a place: the day of an instant, or the list of a filter's value. */
function requestFor(
  run: RunContext,
  { sync }: Stream,
  { column, place }: { column: string; place: string },
): SliceRequest | undefined {
  if (sync.kind === 'snapshot')
    return sync.requests().find(({ filter }) => filter[column] === place)
  if (sync.kind !== 'windows') return undefined
  const nowMs = run.clock.now()
  const { historyLimitDays, ...limits } = limitsOf(sync, { nowMs, historyDays: run.historyDays })
  const fromMs = Math.floor(Date.parse(place) / DAY_MS) * DAY_MS
  // The service shows no records beyond the history limit.
  if (sync.unbounded !== true && fromMs < nowMs - historyLimitDays * DAY_MS) return undefined
  const day = { fromMs, toMs: fromMs + DAY_MS }
  return windowOf(sync, day, { ...limits, historyLimitDays: Infinity }).request
}

async function placesIn(
  run: RunContext,
  stream: Stream,
  { column, request }: { column: string; request: SliceRequest },
): Promise<ReadonlyMap<string, ReadonlySet<string>> | undefined> {
  const places = new Map<string, Set<string>>()
  const { filter } = request
  const placeOf = (record: WireRecord): string => {
    const derived = stream.derive?.(record, { ordinal: 0, filter, words: run.words })
    const place = stream.sync.kind === 'windows' ? instantIn(stream, record) : derived?.[column]
    return String(place)
  }
  try {
    await readOnce(run, { stream, request }, (key, record) => {
      places.set(key, (places.get(key) ?? new Set()).add(placeOf(record)))
    })
    return places
  } catch (error) {
    if (run.signal.aborted || !(error instanceof CallsheetError)) throw error
    if (isDaySpent(error)) run.postpone()
    return undefined
  }
}

/** One name for all spellings of an instant. */
function nameOf({ sync }: Stream, place: string): string {
  return sync.kind === 'windows' ? String(Date.parse(place)) : place
}

/** Reports the records that two lists show, each in its own place. */
export function reportInBoth(run: RunContext, stream: Stream, both: readonly PlacedRow[]): void {
  const [first] = both
  if (first === undefined) return
  const { row, column, held } = first
  const came = row.values[Object.keys(stream.columns).indexOf(column)]
  // A key may be a person's address, except in streams of windows, so only their keys are reported.
  const who = stream.sync.kind === 'windows' ? `${row.key.join(' ')}: ` : ''
  run.problem(
    `${stream.name}: ${counted(both.length, 'record')} appeared in two lists with different content, such ` +
      `as ${who}${column} ${held} and ${came}. The stored rows stay unchanged; contact the service's ` +
      'support and ask which list is right',
    true,
    stream,
  )
}

/** The maximum number of lists that a run requests again to find moved rows. More indicate a fault. */
const MOST_LISTS = 100
