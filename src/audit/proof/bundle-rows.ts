import { isAuditSettings } from '../../core/records/audit-settings.ts'
import {
  type Audited,
  jobRun,
  type Ran,
  type RunSpan,
  whenItRan,
} from '../../core/records/when-it-ran.ts'
import { isDigest } from '../../evidence/log/digest.ts'
import { isCount, parsed } from '../../evidence/log/entry.ts'

/** The days of a bundle, and when it was made. */
export interface BundlePeriod {
  from: string
  to: string
  exported_at: string
}

/** A time stamp that an entry states, with the digests of its token and of its chain. */
export interface StatedStamp {
  seq: number
  size: number
  token: string
  chain: string
}

/** Rows of ledgers, each of which a signed entry states: runs, what was audited, and time stamps. */
export class BundleRows {
  readonly #runs: RunSpan[] = []
  readonly #audited: Audited[] = []
  readonly #stamps = new Map<number, StatedStamp>()

  /** `subject` is that of the entry, e.g. `ledger/runs/12`. */
  add({ seq, subject }: { seq: number; subject: string }, line: string): void {
    const row = (parsed(line) ?? {}) as Record<string, unknown>
    const [, ledger] = subject.split('/')
    const sinceMs = Date.parse(String(row.at))
    if (ledger === 'settings' && isAuditSettings(row.settings) && Number.isFinite(sinceMs))
      this.#audited.push({ since: new Date(sinceMs).toISOString(), settings: row.settings })
    const { size, token, chain } = row
    if (ledger === 'stamps' && isCount(size) && isDigest(token) && isDigest(chain))
      this.#stamps.set(size, { seq, size, token, chain })
    const run = ledger === 'runs' ? jobRun(row) : undefined
    if (run !== undefined) this.#runs.push(run)
  }

  /** The time stamps that entries state, by the size of their checkpoint. */
  stamps(): ReadonlyMap<number, StatedStamp> {
    return this.#stamps
  }

  /** What was audited, oldest first. */
  audited(): Audited[] {
    return this.#audited.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since))
  }

  /** When the job ran that reads a stream; undefined where the bundle does not say what is audited. */
  ran(stream: string, { from, to, exported_at: at }: BundlePeriod): Ran | undefined {
    const known = { audited: this.audited(), runs: this.#runs }
    return whenItRan(stream, known, { from, to, known_to: at })
  }
}
