import type { Audited, Ran } from '../../core/records/when-it-ran.ts'
import { sha256Hex } from '../../evidence/log/digest.ts'
import { parsed } from '../../evidence/log/entry.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import { leafHash, MerkleRoot } from '../../evidence/log/merkle.ts'
import { type BundlePeriod, BundleRows, type StatedStamp } from './bundle-rows.ts'

/**
 * The rules by which a bundle's slices prove days: the stream that reads sessions, and the stream that reads
 * the records of each session.
 */
export interface SliceRules {
  /** The stream of session windows, and for how many days a session may last. */
  windows: { stream: string; overlap_days: number }
  /**
   * The stream with one list per session, the prefix of its slice names before the session's ID, and the
   * fields of a session with its start and end.
   */
  lists: { stream: string; prefix: string; from: string; to: string }
}

/** The days that the signed slices prove, with the runs and the audit settings. */
export interface ProvenDays {
  /** The proven days, by their first instants. A day is 24 hours, counted from the period's start. */
  proven: string[]
  /**
   * The other days: a window was not read completely or may have been read too early, or a session that may
   * have been open on the day was not read.
   */
  open: string[]
  /** When the job ran; undefined if the bundle contains no audit settings. */
  ran: Ran | undefined
  /** The audit settings in these days and since, oldest first. */
  audited: Audited[]
}

/** An entry's statement about slices or a row of another ledger. */
export interface StatedSlices {
  subject: string
  size: number
  /** The root over the slices' lines, in hex, or the digest of the row's line. */
  content: string
}

interface Session {
  id: string
  fromMs: number
  toMs: number
}

interface Slice {
  stream: string
  slice: string
  run_id: number
  state: string
  owned_from: string | null
  owned_to: string | null
  requested_at: string
  finished_at: string
  quarantined: number
  error: string | null
}

/** The slices of a bundle. A slice counts only if its line matches a signed statement. */
export class BundleSlices {
  readonly #findings: Findings
  /** The newest slice by stream and name. */
  readonly #last = new Map<string, Slice>()
  readonly #found = new Set<number>()
  readonly #sessions: Session[] = []
  readonly #rows = new BundleRows()

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /**
   * Adds a line of `slices.ndjson`: the number of an entry, and the slices or the row of another ledger that
   * it states.
   */
  addLine(text: string, place: string, statement: (seq: number) => StatedSlices | undefined): void {
    const { entry, slices, row } = (parsed(text) ?? {}) as Record<string, unknown>
    const stated = typeof entry === 'number' ? statement(entry) : undefined
    if (stated !== undefined && typeof row === 'string') {
      const found = sha256Hex(row)
      const expected = `a row with the digest ${stated.content}`
      if (found !== stated.content)
        this.#findings.add('slices_changed', `${place}, ${stated.subject}`, { expected, found })
      this.#found.add(entry as number)
      const { subject } = stated
      if (found === stated.content) this.#rows.add({ seq: entry as number, subject }, row)
      return
    }
    if (!isTexts(slices) || stated === undefined) {
      this.#findings.add('slices_unstated', place, {
        expected: 'slices that an entry states',
        found: stated === undefined ? 'no such entry' : 'a malformed line',
      })
      return
    }
    const tree = new MerkleRoot()
    for (const line of slices) tree.add(leafHash(line))
    const root = tree.root().toString('hex')
    if (root !== stated.content || tree.leaves !== stated.size) {
      this.#findings.add('slices_changed', `${place}, ${stated.subject}`, {
        expected: `${stated.size} slices with the root ${stated.content}`,
        found: `${tree.leaves} slices with the root ${root}`,
      })
      return
    }
    this.#found.add(entry as number)
    for (const line of slices) this.#take(parsed(line) as Slice)
  }

  /** Adds a session record. A session without times may have been open on any day. */
  addSession(text: string, { lists }: SliceRules): void {
    const record = (parsed(text) ?? {}) as Record<string, unknown>
    const at = (name: string, otherwise: number): number => {
      const ms = Date.parse(String(record[name]))
      return Number.isNaN(ms) ? otherwise : ms
    }
    const fromMs = at(lists.from, Number.NEGATIVE_INFINITY)
    const toMs = at(lists.to, Number.POSITIVE_INFINITY)
    this.#sessions.push({ id: String(record.id), fromMs, toMs })
  }

  /** The time stamps that entries state, by the size of their checkpoint. */
  stamps(): ReadonlyMap<number, StatedStamp> {
    return this.#rows.stamps()
  }

  has(seq: number): boolean {
    return this.#found.has(seq)
  }

  /**
   * Checks which days of a period the slices and sessions prove. `ids` are the IDs of all sessions that have
   * an entry. A session whose record was not added may have been open on any day.
   */
  judge(rules: SliceRules, period: BundlePeriod, ids: readonly string[]): ProvenDays {
    const [fromMs, toMs] = [Date.parse(period.from), Date.parse(period.to)]
    const overlapMs = rules.windows.overlap_days * DAY_MS
    const settled = this.#settled(rules, overlapMs)
    const timed = new Set(this.#sessions.map(({ id }) => id))
    const untimed = ids.filter((id) => !timed.has(id))
    const sessions = [...this.#sessions, ...untimed.map((id) => ({ id, ...EVER }))]
    const unread = sessions.filter(({ id }) => !this.#isRead(rules, id))
    const ran = this.#rows.ran(rules.windows.stream, period)
    const days: ProvenDays = { proven: [], open: [], ran, audited: this.#rows.audited() }
    for (let day = fromMs; day < toMs; day += DAY_MS) {
      const until = Math.min(day + DAY_MS, toMs)
      const lacks = unread.some((one) => one.fromMs < until && one.toMs >= day)
      const whole = !lacks && isCovered(settled, day - overlapMs, until)
      days[whole ? 'proven' : 'open'].push(new Date(day).toISOString())
    }
    return days
  }

  /** A session appears only after it has ended, so a window that was read too early may lack sessions. */
  #settled({ windows }: SliceRules, overlapMs: number): { fromMs: number; toMs: number }[] {
    return [...this.#last.values()]
      .filter(
        ({ stream, state, quarantined }) =>
          stream === windows.stream && state === 'complete' && quarantined === 0,
      )
      .map(({ owned_from: from, owned_to: to, requested_at: at }) => ({
        fromMs: Date.parse(from ?? ''),
        toMs: Math.min(Date.parse(to ?? ''), Date.parse(at) - overlapMs),
      }))
  }

  #isRead({ lists }: SliceRules, id: string): boolean {
    const own = this.#last.get(`${lists.stream} ${lists.prefix}${id}`)
    return own?.state === 'complete' && own.quarantined === 0 && own.error === null
  }

  #take(slice: Slice): void {
    const name = `${slice.stream} ${slice.slice}`
    const before = this.#last.get(name)
    if (before === undefined || isLater(slice, before)) this.#last.set(name, slice)
  }
}

function isLater(one: Slice, other: Slice): boolean {
  if (one.finished_at !== other.finished_at)
    return Date.parse(one.finished_at) >= Date.parse(other.finished_at)
  return one.run_id > other.run_id
}

function isCovered(
  windows: readonly { fromMs: number; toMs: number }[],
  fromMs: number,
  toMs: number,
): boolean {
  let reached = fromMs
  for (const one of windows.toSorted((a, b) => a.fromMs - b.fromMs))
    if (one.fromMs <= reached) reached = Math.max(reached, one.toMs)
  return reached >= toMs
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

const EVER = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const DAY_MS = 86_400_000
