import { commitmentOf } from '../../evidence/log/digest.ts'
import { type Entry, readEntry, readSubjectPart } from '../../evidence/log/entry.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import { leafHash, rootFromProof } from '../../evidence/log/merkle.ts'
import { BundleFiles } from './bundle-files.ts'
import {
  type BundleFacts,
  type ManifestLine,
  readManifestLine,
  wrongSubject,
} from './bundle-format.ts'
import type { BundleLog } from './bundle-log.ts'
import type { StatedStamp } from './bundle-rows.ts'
import { BundleSlices, type ProvenDays, type StatedSlices } from './bundle-slices.ts'

interface PromisedRecord {
  subject: string
  /** The number of copies that were not found yet. */
  left: number
  size: number
}

interface PromisedFile {
  subject: string
  /** The number of `file` entries with this content, minus the `removal` entries after them. */
  wanted: number
  found: boolean
  size: number
}

/** The contents that a bundle's manifest promises, and which of them were found. */
export class BundleContents {
  readonly #findings: Findings
  readonly #account: string
  /** Undefined if the bundle has no checkpoint. */
  readonly #log: BundleLog | undefined
  readonly #records = new Map<string, PromisedRecord>()
  readonly #files = new Map<string, PromisedFile>()
  /** The bytes of each stream's records, including line ends. */
  readonly #bytes = new Map<string, number>()
  readonly #told: BundleFiles
  /** The statements about slices and ledger rows, by entry number. */
  readonly #stated = new Map<number, StatedSlices>()
  readonly #slices: BundleSlices
  /** Ranges of entries that record the same time. */
  readonly #times: { from: number; to: number; atMs: number }[] = []
  #lastSeq = 0
  #lines = 0
  erased = 0
  records = 0
  files = 0

  constructor(account: string, log: BundleLog | undefined, findings: Findings) {
    this.#account = account
    this.#log = log
    this.#findings = findings
    this.#told = new BundleFiles(findings)
    this.#slices = new BundleSlices(findings)
  }

  get entries(): number {
    return this.#lines
  }

  /** Questions that the entries cannot settle, each as a sentence. */
  readonly notJudged: string[] = []

  /** Adds a line of the manifest, and checks that the checkpoint covers its entry. */
  addLine(text: string): void {
    this.#lines++
    const place = `manifest.ndjson, line ${this.#lines}`
    const line = readManifestLine(text)
    const named = line && readEntry(line.entry)
    if (line === undefined || named === undefined)
      return this.#findings.add('entry_changed', place, { found: 'a malformed line' })
    const entry = { ...named, subject: line.subject ?? named.subject }
    const what = `${place}, entry ${entry.seq} (${entry.subject})`
    const wrong = wrongSubject(line, named)
    if (wrong !== undefined) this.#findings.add('subject_wrong', what, wrong)
    if (entry.seq <= this.#lastSeq)
      this.#findings.add('entries_swapped', what, {
        expected: `an entry after ${this.#lastSeq}`,
        found: `entry ${entry.seq}`,
      })
    this.#lastSeq = Math.max(this.#lastSeq, entry.seq)
    if (entry.account !== this.#account)
      this.#findings.add('other_account', what, { expected: this.#account, found: entry.account })
    this.#checkPath(what, line, entry)
    this.#note(entry)
    this.#promise(what, line, entry)
  }

  /** Adds a line of `slices.ndjson`, which must match a statement in the manifest. */
  addSlices(text: string, place: string): void {
    this.#slices.addLine(text, place, (seq) => this.#stated.get(seq))
  }

  /** Adds a line with an older state that the log continues. */
  addOlder(text: string, place: string): void {
    this.#log?.addOlder(text, place)
  }

  /** The time stamps that entries state, by the size of their checkpoint. */
  stamps(): ReadonlyMap<number, StatedStamp> {
    return this.#slices.stamps()
  }

  /** The time of the last entry after `after` and up to `upTo`; undefined if the manifest has none. */
  lastTime({ after, upTo }: { after: number; upTo: number }): number | undefined {
    const last = this.#times.findLast(({ from }) => from <= upTo)
    return last !== undefined && last.to > after ? last.atMs : undefined
  }

  /** The days that the signed slices prove; undefined if the bundle has no rules for them. */
  daysOf(facts: BundleFacts): ProvenDays | undefined {
    if (facts.slices === undefined) return undefined
    const before = `${facts.slices.windows.stream}/`
    const named = [...this.#records.values()].filter(({ subject }) => subject.startsWith(before))
    const ids = named.flatMap(({ subject }) => readSubjectPart(subject.slice(before.length)) ?? [])
    return this.#slices.judge(facts.slices, facts, ids)
  }

  /** Adds a record's line if `stream` is the stream of sessions in the rules. */
  addSession(text: string, stream: string, rules: BundleFacts['slices']): void {
    if (rules?.windows.stream === stream) this.#slices.addSession(text, rules)
  }

  /** Marks one entry with this content, or all (`forAll`), as found; reports a record without an entry. */
  foundRecord(digest: string, place: string, { forAll = false } = {}): void {
    this.records++
    const promised = this.#records.get(digest)
    if (promised !== undefined && promised.left > 0) promised.left -= forAll ? promised.left : 1
    else this.#unpromised('record_without_entry', place, digest)
  }

  /** Marks a file of this content as found; reports a file that no entry promises. */
  foundFile(digest: string, place: string): void {
    this.files++
    const promised = this.#files.get(digest)
    if (promised !== undefined && promised.wanted > 0) promised.found = true
    else this.#unpromised('file_without_entry', place, digest)
  }

  /** True if an entry promises a file of this content; with `of`, if that subject's last entry does. */
  promisesFile(digest: string, of?: string): boolean {
    const fits = of === undefined || this.#told.holds(of, digest)
    return fits && (this.#files.get(digest)?.wanted ?? 0) > 0
  }

  /** The maximum size that the entries allow for a file or records; undefined for an unknown file. */
  bytesOf(name: string): number | undefined {
    const [, folder, called = ''] = /^(files|records)\/([^.]*)/.exec(name) ?? []
    if (folder === 'files') return this.#files.get(called)?.size
    return this.#records.get(called)?.size ?? this.#bytes.get(called) ?? 0
  }

  subjectOfFile(digest: string): string | undefined {
    return this.#files.get(digest)?.subject
  }

  /** Reports salts, slices, records and files that entries promise and that the bundle lacks. */
  judgeMissing(): void {
    const { lost, unsigned } = this.#told
    for (const what of lost)
      this.#findings.add('salt_missing', what, {
        expected: 'a salt, or a later entry that records the erasure',
        found: 'no salt, and no such entry',
      })
    if (unsigned > 0)
      this.notJudged.push(
        `Whether ${unsigned} entries without a salt were really erased or removed: the checkpoint does not ` +
          'cover their erasure or removal yet.',
      )
    for (const [seq, { subject }] of this.#stated)
      if (!this.#slices.has(seq))
        this.#findings.add('slices_missing', `${subject}, entry ${seq}`, {
          expected: 'a line in slices.ndjson with the slices that this entry states',
          found: 'no such line',
        })
    for (const [digest, { subject, left }] of this.#records)
      if (left > 0)
        this.#findings.add('record_missing', `the record ${subject}`, {
          expected: `content ${digest}`,
          found: 'not in the bundle',
        })
    for (const [digest, { subject, wanted, found }] of this.#files)
      if (wanted > 0 && !found)
        this.#findings.add('file_missing', `files/${digest}, of ${subject}`, {
          expected: digest,
          found: 'not in the bundle',
        })
  }

  /** Notes the time of an entry. Entries of one transaction have the same time and share a range. */
  #note({ seq, at }: Entry): void {
    const atMs = Date.parse(at)
    const last = this.#times.at(-1)
    if (last?.atMs === atMs) last.to = seq
    else if (!Number.isNaN(atMs)) this.#times.push({ from: seq, to: seq, atMs })
  }

  #checkPath(what: string, { path, entry: line }: ManifestLine, { seq }: Entry): void {
    if (this.#log === undefined) return
    const { size, root } = this.#log
    const proof = path?.map((hash) => Buffer.from(hash, 'base64'))
    const found = proof && rootFromProof(leafHash(line), { index: seq - 1, size }, proof)
    if (path === undefined)
      this.#findings.add('proof_missing', what, {
        expected: 'the path of this entry in the tree of all entries',
        found: 'no path',
      })
    else if (found?.equals(root) !== true)
      this.#findings.add('proof_wrong', what, {
        expected: `leaf ${seq - 1} of the checkpoint's tree with the root ${root.toString('base64')}`,
        found: found === undefined ? 'an invalid path' : `the root ${found.toString('base64')}`,
      })
  }

  #promise(what: string, line: ManifestLine, entry: Entry): void {
    const { salt, content } = line
    const { subject, kind, size } = entry
    this.#told.add(what, line, entry)
    if (salt === null) return void this.erased++
    if (content === null)
      return this.#findings.add(kind === 'record' ? 'record_missing' : 'file_missing', what, {
        expected: `content with the commitment ${entry.commitment}`,
        found: 'no content when the bundle was made',
      })
    const found = commitmentOf(Buffer.from(salt, 'hex'), content)
    if (found !== entry.commitment)
      this.#findings.add('commitment_wrong', what, { expected: entry.commitment, found })
    if (kind === 'record') {
      const same = this.#records.get(content) ?? { subject, left: 0, size }
      this.#records.set(content, { ...same, left: same.left + 1 })
      const [stream = ''] = subject.split('/', 1)
      this.#bytes.set(stream, (this.#bytes.get(stream) ?? 0) + size + 1)
    } else if (kind === 'statement') this.#stated.set(entry.seq, { subject, size, content })
    else if (kind === 'file' || kind === 'removal') {
      const same = this.#files.get(content) ?? { subject, wanted: 0, found: false, size }
      const wanted = kind === 'file' ? same.wanted + 1 : Math.max(0, same.wanted - 1)
      this.#files.set(content, { ...same, wanted })
    }
  }

  #unpromised(code: string, place: string, digest: string): void {
    this.#findings.add(code, place, { expected: 'content that an entry names', found: digest })
  }
}
