import type { NextPage } from '../api/answers/paging.ts'
import { withNext } from '../api/answers/paging.ts'
import type { Page } from '../api/answers/payload.ts'
import type { Client } from '../api/client.ts'
import { meansRefused } from '../core/define/answer-meaning.ts'
import type { CallArguments, RateLabel } from '../core/define/operation.ts'
import { type SliceRequest, type Stream, valueOf } from '../core/define/stream.ts'
import { CallsheetError, ServiceError } from '../core/errors.ts'
import { keyOf, wireKey } from '../core/records/record-key.ts'
import type { Window } from '../core/time/spans.ts'
import { widestSpan } from '../core/time/widest-span.ts'
import type { WireRecord } from '../core/values/json.ts'
import { type Forecast, NONE, pagesOf, plus, scaled, spread } from './forecast.ts'
import type { PlannedSlice } from './plan/plan-stream.ts'

interface SamplerDeps {
  client: Pick<Client, 'fetchPage'>
  /** The streams that others fan out from: their row counts decide how long a sync takes. */
  parents: ReadonlySet<Stream>
  nowMs: number
  signal: AbortSignal
  /** Called before the first request, because the requests can take minutes. */
  onFirstCall: () => void
}

/** A record of a first page. */
interface Sample {
  key: readonly string[]
  record: WireRecord
}

/**
 * Estimates the calls and rows of lists that were never read, by their first pages: most show the service's
 * total, or that there is no other page. For windows, and for the lists of many parents, a few evenly spread
 * ones represent the others.
 */
export class ListSampler {
  readonly calls: Partial<Record<RateLabel, number>> = {}
  /** The error that ended the requests. A refusal or another `ServiceError` concerns only its own list. */
  failure: CallsheetError | undefined
  readonly #deps: SamplerDeps
  readonly #samples = new Map<Stream, Sample[]>()

  constructor(deps: SamplerDeps) {
    this.#deps = deps
  }

  /** Estimates slices that were never read; undefined after a `failure`. */
  async lists(stream: Stream, slices: readonly PlannedSlice[]): Promise<Forecast | undefined> {
    return await this.#unlessFailed(async () => {
      const windows = slices.filter(({ owned }) => owned !== undefined)
      let single = NONE
      for (const slice of slices)
        if (slice.owned === undefined) single = plus(single, await this.#slice(stream, slice))
      let sampled = NONE
      const chosen = spread(windows, SAMPLES)
      for (const slice of chosen) sampled = plus(sampled, await this.#slice(stream, slice))
      return plus(single, scaled(sampled, chosen.length, windows.length))
    })
  }

  /** Estimates the lists of this number of parents; undefined after a `failure`. */
  async fanOut(stream: Stream, parents: number): Promise<Forecast | undefined> {
    const { sync, operation } = stream
    if (sync.kind !== 'fan-out') return NONE
    const known = this.#samples.get(sync.parent) ?? []
    const isAsked = ([id = '']: readonly string[]): boolean =>
      sync.nothingOf === undefined || !id.startsWith(sync.nothingOf)
    const asked = known.filter(({ key }) => isAsked(key))
    const lists = known.length === 0 ? parents : (parents * asked.length) / known.length
    if (operation.paging?.style !== 'token') return { calls: lists, rows: lists, atLeast: false }
    return await this.#unlessFailed(async () => {
      let sampled = NONE
      const chosen = spread(asked, SAMPLES)
      for (const { key, record } of chosen) {
        const { arguments: asks } = sync.request(key.map(wireKey), spanOf(stream, record))
        sampled = plus(sampled, await this.#firstPage(stream, asks, () => {}))
      }
      if (chosen.length === 0) return { calls: lists, rows: 0, atLeast: lists > 0 }
      return scaled(sampled, chosen.length, lists)
    })
  }

  async #slice(stream: Stream, { request, owned, shown }: PlannedSlice): Promise<Forecast> {
    if (request.ifMore === true) return { ...NONE, calls: 1 }
    const { otherWays = [], arguments: asks } = request
    const see = this.#keeper(stream, request)
    let sum = NONE
    for (const list of [asks, ...otherWays.flat()])
      sum = plus(sum, await this.#firstPage(stream, list, see))
    // Windows overlap, and each way of requesting the list shows the same records.
    const share = owned === undefined || shown === undefined ? 1 : shareOf(owned, shown)
    return { ...sum, rows: (sum.rows / (1 + otherWays.length)) * share }
  }

  async #firstPage(
    stream: Stream,
    asks: CallArguments,
    see: (page: Page) => void,
  ): Promise<Forecast> {
    const { operation } = stream
    if (Object.keys(this.calls).length === 0) this.#deps.onFirstCall()
    this.calls[operation.rate] = (this.calls[operation.rate] ?? 0) + 1
    try {
      const page = await this.#deps.client.fetchPage(operation, asks, { signal: this.#deps.signal })
      const { asked, next, records, total } = page
      const found = pagesOf(stream, { count: records.count, total, isLast: next === undefined })
      const follow = found.atLeast && next !== undefined && this.#deps.parents.has(stream)
      const all = follow ? await this.#follow(stream, { asked, next, first: found }) : found
      see(page)
      records.release()
      return all
    } catch (error) {
      if (meansRefused(operation, error)) return { ...NONE, calls: 1 }
      // The failure of one list does not concern the others.
      if (!(error instanceof ServiceError)) throw error
      return { calls: 1, rows: 0, atLeast: true }
    }
  }

  /** Without a total, counts the parents on up to `MOST_PAGES` pages: a call shows a few hundred parents. */
  async #follow(
    stream: Stream,
    { asked, next: from, first }: { asked: CallArguments; next: NextPage; first: Forecast },
  ): Promise<Forecast> {
    const { operation } = stream
    let [calls, rows] = [1, first.rows]
    for (let next: NextPage | undefined = from; next !== undefined; calls++) {
      if (calls >= MOST_PAGES) return { calls: calls + 1, rows, atLeast: true }
      this.calls[operation.rate] = (this.calls[operation.rate] ?? 0) + 1
      const page: Page = await this.#deps.client.fetchPage(operation, withNext(asked, next), {
        signal: this.#deps.signal,
      })
      rows += page.records.count
      next = page.next
      page.records.release()
    }
    return { calls, rows, atLeast: false }
  }

  /** Returns a function that samples keys of a page, whose lists are then requested. */
  #keeper(stream: Stream, { filter }: SliceRequest) {
    const kept = this.#samples.get(stream) ?? []
    this.#samples.set(stream, kept)
    return ({ records }: Page): void => {
      for (const at of spread([...Array(records.count).keys()], KEYS_OF_PAGE)) {
        const record = records.recordAt(at)
        if (record === undefined) continue
        const found = keyOf(stream, record, { ordinal: 0, filter })
        if ('key' in found) kept.push({ key: found.key, record })
      }
    }
  }

  async #unlessFailed(ask: () => Promise<Forecast>): Promise<Forecast | undefined> {
    if (this.failure !== undefined) return undefined
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof CallsheetError)) throw error
      this.failure = error
      return undefined
    }
  }
}

/** The instants between which the list of a parent is requested. */
export function spanOf({ sync }: Stream, record: WireRecord): Window | undefined {
  if (sync.kind !== 'fan-out' || sync.within === undefined) return undefined
  const [from, to] = [sync.within.from, sync.within.to].map((name) => {
    const value = valueOf(sync.parent, record, name)
    return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null
  })
  return widestSpan(from ?? null, to ?? null)
}

/** The share of a window's shown range that it owns. */
function shareOf(owned: Window, shown: Window): number {
  if (!Number.isFinite(shown.toMs)) return 1
  return Math.min(1, (owned.toMs - owned.fromMs) / (shown.toMs - shown.fromMs))
}

/** How many lists are sampled: few cost little, but one busy month must not represent a year. */
const SAMPLES = 5
const MOST_PAGES = 100
const KEYS_OF_PAGE = 20
