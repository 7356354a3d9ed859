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

/** The period of a bundle, and when it was exported. */
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

/** Ledger rows that signed entries state: runs, audit settings and time stamps. */
export class BundleRows {
  readonly #runs: RunSpan[] = []
  readonly #audited: Audited[] = []
  readonly #stamps = new Map<number, StatedStamp>()

  /** Adds a row that an entry states; `subject` is the entry's subject, e.g. `ledger/runs/12`. */
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

  /** The audit settings, oldest first. */
  audited(): Audited[] {
    return this.#audited.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since))
  }

  /** When the job that reads a stream ran; undefined if the bundle contains no audit settings. */
  ran(stream: string, { from, to, exported_at: at }: BundlePeriod): Ran | undefined {
    const known = { audited: this.audited(), runs: this.#runs }
    return whenItRan(stream, known, { from, to, known_to: at })
  }
}
