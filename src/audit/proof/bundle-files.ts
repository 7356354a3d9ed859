import type { Entry } from '../../evidence/log/entry.ts'
import { explains } from '../../evidence/log/erased-kinds.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import type { ManifestLine } from './bundle-format.ts'

interface LastEntry {
  seq: number
  kind: string
  size: number
  /** Undefined if the entry has no content to compare. */
  content: string | undefined
}

/**
 * The state of each subject's file according to a bundle's entries, added in order. Until an erasure, each
 * `file` entry must record the content of the subject's previous `file` or `removal` entry.
 */
export class BundleFiles {
  readonly #findings: Findings
  readonly #last = new Map<string, LastEntry>()
  /** Entries without a salt that no erasure explains so far, by subject. */
  readonly #saltless = new Map<string, { what: string; kind: string }[]>()
  /** The number of entries without a salt because of an erasure or removal that no checkpoint covers yet. */
  unsigned = 0

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** Entries without a salt that no later erasure of their subject explains. */
  get lost(): string[] {
    return [...this.#saltless.values()].flatMap((entries) => entries.map(({ what }) => what))
  }

  /** Returns true if the last entry about the file records it as stored with this content. */
  holds(subject: string, digest: string): boolean {
    const { kind, content } = this.#last.get(subject) ?? {}
    return kind === 'file' && content === digest
  }

  /** Adds the next entry, with the salt and content in its line. */
  add(what: string, { salt, content: given, unsigned }: ManifestLine, told: Entry): void {
    const { kind, subject, seq, size } = told
    const content = salt === null ? undefined : (given ?? undefined)
    const before = this.#last.get(subject)
    if (kind === 'erasure') {
      const lost = this.#saltless.get(subject) ?? []
      const left = lost.filter((one) => !explains(size, one.kind))
      if (left.length === 0) this.#saltless.delete(subject)
      else this.#saltless.set(subject, left)
      if (explains(size, 'file')) this.#last.delete(subject)
      return
    }
    if (salt === null && unsigned !== undefined) this.unsigned++
    else if (salt === null) {
      const lost = this.#saltless.get(subject)
      if (lost === undefined) this.#saltless.set(subject, [{ what, kind }])
      else lost.push({ what, kind })
    }
    if (kind === 'record' || kind === 'statement') return
    const entry = { seq, kind, size, content }
    if (kind === 'file' && before !== undefined && isOther(before, entry))
      this.#findings.add('file_replaced', what, {
        expected:
          `the content of entry ${before.seq}, or an entry between the two that records ` +
          "the file's removal or erasure",
        found: `other content, of ${size} bytes`,
      })
    this.#last.set(subject, entry)
  }
}

/** If the contents of both entries were erased later, compares only their sizes. */
function isOther(before: LastEntry, entry: LastEntry): boolean {
  return before.content !== entry.content || before.size !== entry.size
}
