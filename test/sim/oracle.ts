import type { Client } from 'pg'
import type { SimulatedService } from '../../sandbox/server/service.ts'
import { STREAM_TRUTHS } from '../../sandbox/server/truth.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { keyOf, normalRow, writesEmptyAlike } from '../helpers/normal-row.ts'
import { type KeyHistory, newHistory } from './key-history.ts'
import { parentSlipped, type Slipping } from './slipped.ts'
import { storedRows, type Touched, takeTouched } from './touched-rows.ts'

export interface Comparison {
  streams?: readonly Stream[]
  /** Whether a row that the stream no longer has must be marked by now: some wait for a second reading. */
  settled?: (stream: Stream) => boolean
  /** Rows that changed since then may be told as they were. */
  unchangedSinceMs?: number
}

interface Compared {
  invariant: string
  phantoms: boolean
  unchangedSinceMs: number
}

export interface OracleOptions {
  service: SimulatedService
  streams: readonly Stream[]
  monitor: Client
  account: string
  now(): number
}

/**
 * What must hold of the tables, by the service's own history of every row. It looks at each commit, at what
 * that commit touched.
 */
export class Oracle {
  readonly violations: string[] = []
  commits = 0
  /** By stream, how many rows were checked at their commit. */
  readonly checked: Record<string, number> = {}
  /** Nothing that was gone before this instant may be told to be gone now. */
  sinceMs = 0
  readonly #options: OracleOptions
  readonly #alike: boolean
  readonly #streams: ReadonlyMap<string, Stream>
  /** When a recording was last shown by two lists in two ways. */
  readonly #shownTwiceMs = new Map<string, number>()
  #observed = false
  readonly #histories = new Map<string, Map<string, KeyHistory>>()

  constructor(options: OracleOptions) {
    this.#options = options
    this.#alike = writesEmptyAlike(options.service.readings)
    this.#streams = new Map(options.streams.map((stream) => [stream.name, stream]))
    for (const stream of options.streams) this.#histories.set(stream.name, new Map())
  }

  /** Takes note of what the service holds now; after each edit, and when time has moved it. */
  observe(kinds?: ReadonlySet<string>): void {
    for (const id of this.#options.service.recordingsShownTwice())
      this.#shownTwiceMs.set(id, this.#options.now())
    for (const stream of this.#options.streams)
      if (kinds === undefined || isOf(stream, kinds)) this.#observeStream(stream)
    this.#observed = true
  }

  #observeStream(stream: Stream): void {
    const histories = this.#historyOf(stream)
    const nowMs = this.#options.now()
    const seen = new Set<string>()
    for (const row of this.#options.service.truth(stream.name)) {
      const key = keyOf(stream, row)
      const content = normalRow(stream, row, this.#alike)
      seen.add(key)
      const history = histories.get(key)
      if (history === undefined) {
        histories.set(key, newHistory(content, nowMs, this.#observed ? nowMs : 0))
        continue
      }
      if (!history.present) {
        history.absentMs = nowMs
        history.changedMs = nowMs
      }
      history.present = true
      if (history.versions.at(-1) === content) continue
      history.versions.push(content)
      history.changedMs = nowMs
    }
    for (const [key, history] of histories)
      if (!seen.has(key)) {
        history.present = false
        history.absentMs = Number.POSITIVE_INFINITY
      }
  }

  #historyOf(stream: Stream): Map<string, KeyHistory> {
    return this.#histories.get(stream.name) as Map<string, KeyHistory>
  }

  /** Looks at the rows that a commit touched, if it did: I2, I4, I5, I10. */
  async committed(touches: boolean): Promise<void> {
    this.commits++
    if (touches) await this.#lookAtTouched()
  }

  /** No commit touched rows without a look at them. */
  async ended(): Promise<void> {
    for (const stream of await this.#lookAtTouched())
      this.#violated('X9', stream, 'rows were written by a commit that was not looked at')
  }

  async #lookAtTouched(): Promise<Iterable<string>> {
    const byStream = await takeTouched(this.#options)
    for (const [name, touched] of byStream) {
      const stream = this.#streams.get(name)
      if (touched.some(({ fenced }) => fenced))
        this.#violated('I10', name, 'a commit of a fenced run')
      if (stream === undefined) continue
      await this.#check(stream, touched)
    }
    return byStream.keys()
  }

  async #check(stream: Stream, touched: readonly Touched[]): Promise<void> {
    for (const row of await storedRows(this.#options, stream, touched)) {
      if (this.#isAmbiguous(stream, row)) continue
      this.checked[stream.name] = (this.checked[stream.name] ?? 0) + 1
      if (row.is_gone === true) this.#checkGone(stream, row)
      else this.#checkStored(stream, row)
    }
  }

  /**
   * The lists of recordings are no snapshot of one instant: one that goes from the trash to its window while
   * they are read may be stored as either, until it is read again.
   */
  #isAmbiguous({ name }: Stream, { session_id: id }: Record<string, unknown>): boolean {
    if (!RECORDINGS.test(name)) return false
    return (this.#shownTwiceMs.get(String(id)) ?? Number.NEGATIVE_INFINITY) >= this.sinceMs
  }

  #checkStored(stream: Stream, row: Record<string, unknown>): void {
    const key = keyOf(stream, row)
    const content = normalRow(stream, row, this.#alike)
    const served = (): boolean =>
      this.#historyOf(stream).get(key)?.versions.includes(content) === true
    // Time alone may have changed it since the last look.
    if (!served()) this.#observeStream(stream)
    const history = this.#historyOf(stream).get(key)
    if (history === undefined || !served()) {
      this.#violated(
        'I2',
        stream.name,
        `${key} was never ${content} but ${history?.versions.at(-1)}`,
      )
      return
    }
    const at = history.versions.indexOf(content, history.storedAt)
    if (at < 0) this.#violated('I5', stream.name, `${key} went back to an older version`)
    else history.storedAt = at
  }

  #checkGone(stream: Stream, row: Record<string, unknown>): void {
    const key = keyOf(stream, row)
    const history = this.#historyOf(stream).get(key)
    const absent = (): boolean => history === undefined || history.absentMs >= this.sinceMs
    if (absent()) return
    // Time alone may have taken it away since the last look.
    this.#observeStream(stream)
    if (!absent()) this.#violated('I4', stream.name, `${key} is called gone and never was`)
  }

  #violated(invariant: string, stream: string, what: string): void {
    this.violations.push(`${invariant} ${stream}: ${what}`)
  }

  /**
   * The whole of the streams' tables against what the service holds now: I1, I3. Rows that an unsettled
   * stream holds too many may wait for their second reading.
   */
  async compare(
    invariant: string,
    { streams = this.#options.streams, settled, unchangedSinceMs = NEVER }: Comparison = {},
  ): Promise<number> {
    let rows = 0
    for (const stream of streams) {
      const phantoms = settled?.(stream) ?? true
      rows += await this.#compareStream({ invariant, phantoms, unchangedSinceMs }, stream)
    }
    return rows
  }

  async #slipped(stream: Stream, at: Parameters<typeof parentSlipped>[2]): Promise<boolean> {
    const changedMs: Slipping['changedMs'] = (one, row) =>
      this.#histories.get(one.name)?.get(keyOf(one, row))?.changedMs ?? 0
    return await parentSlipped({ ...this.#options, changedMs }, stream, at)
  }

  async #compareStream(
    { invariant, phantoms, unchangedSinceMs }: Compared,
    stream: Stream,
  ): Promise<number> {
    const { monitor, account, service } = this.#options
    const names = Object.keys(stream.columns).map((name) => `"${name}"`)
    const { rows } = await monitor.query<Record<string, unknown>>(
      `select ${names.join(', ')} from svc."${stream.name}"
       where account = $1 and _deleted_at is null`,
      [account],
    )
    const held = new Map(
      rows.map((row) => [keyOf(stream, row), normalRow(stream, row, this.#alike)]),
    )
    let compared = 0
    for (const row of service.truth(stream.name)) {
      compared++
      const key = keyOf(stream, row)
      const content = held.get(key)
      held.delete(key)
      if ((this.#historyOf(stream).get(key)?.changedMs ?? 0) >= unchangedSinceMs) continue
      if (unchangedSinceMs !== NEVER && this.#isAmbiguous(stream, row)) continue
      if (content === undefined) {
        if (!(await this.#slipped(stream, { row, sinceMs: unchangedSinceMs })))
          this.#violated(invariant, stream.name, `${key} is lost`)
      } else if (content !== normalRow(stream, row, this.#alike))
        this.#violated(
          invariant,
          stream.name,
          `${key} is ${content} and should be ${normalRow(stream, row, this.#alike)}`,
        )
    }
    if (phantoms)
      for (const key of held.keys()) this.#violated(invariant, stream.name, `${key} is a phantom`)
    return compared
  }
}

function isOf({ name }: Stream, kinds: ReadonlySet<string>): boolean {
  const { kind = '', follows = [] } = STREAM_TRUTHS[name] ?? {}
  return kinds.has(kind) || follows.some((other) => kinds.has(other))
}

const RECORDINGS = /^recording_/
const NEVER = Number.POSITIVE_INFINITY
