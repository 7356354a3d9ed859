import type { Stream } from '../../core/define/stream.ts'
import { commitmentOf } from '../../evidence/log/digest.ts'
import { readEntry } from '../../evidence/log/entry.ts'
import { lostSalts, pairVersions } from '../../evidence/match-versions.ts'
import { mergeBySubject } from '../../evidence/merge-by-subject.ts'
import { type RecordVersion, versionsBySubject } from '../../evidence/sql/audited-records.ts'
import { lastCheckpoint } from '../../evidence/sql/checkpoints.ts'
import { entriesBySubject, type ManifestRow } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Comparing } from './verifying.ts'

/** Compares the versions of a stream's records with their entries, in both directions. */
export async function checkRecords(
  tx: Transaction,
  verifying: Comparing,
  stream: Stream,
): Promise<void> {
  const { account, checked, notJudged, lost, unexplained } = verifying
  const mark = (await lastCheckpoint(tx, account))?.mark ?? 0
  const versions = versionsBySubject(tx, { account, stream })
  const entries = entriesBySubject(tx, account, { stream: stream.name, kinds: KINDS })
  let pending = 0
  for await (const { subject, left, right: said } of mergeBySubject(versions, entries)) {
    const right = said.filter(({ seq }) => !unexplained.has(seq))
    const records = right.filter(({ kind }) => kind === 'record')
    const { matched } = pairVersions(left, records)
    const fresh = matched.versions.filter(({ run }) => run >= mark)
    const old = matched.versions.filter(({ run }) => run < mark)
    checked.records += left.length - matched.versions.length
    const saltless = lostSalts(right)
    const lostRecords = saltless.filter(({ kind }) => kind === 'record')
    checked.erased += matched.saltless.length - lostRecords.length
    pending += fresh.length
    for (const { seq } of [...saltless, ...matched.entries]) lost?.add(seq)
    report(verifying, { subject, entries: matched.entries, saltless, old, fresh })
  }
  if (pending > 0)
    notJudged.push(
      `${pending} versions of ${stream.name} that have no entry yet; the next run adds the entries.`,
    )
}

interface Unmatched {
  subject: string
  entries: readonly ManifestRow[]
  /** Entries without a salt that no erasure explains. */
  saltless: readonly ManifestRow[]
  /** Versions that earlier runs wrote, which must have an entry. */
  old: readonly RecordVersion[]
  fresh: readonly RecordVersion[]
}

function report(
  { findings }: Comparing,
  { subject, entries, saltless, old, fresh }: Unmatched,
): void {
  const spare = [...old, ...fresh]
  for (const entry of entries) {
    const what = `the record ${subject}, entry ${entry.seq}`
    const expected = `content with the commitment ${readEntry(entry.line)?.commitment ?? '(unreadable)'}`
    const version = spare.shift()
    if (version === undefined)
      findings.add('record_missing', what, { expected, found: 'no record' })
    else findings.add('record_changed', what, { expected, found: contentOf(version, entry) })
  }
  for (const entry of saltless) {
    const version = entry.kind === 'record' ? spare.shift() : undefined
    findings.add('salt_missing', `the record ${subject}, entry ${entry.seq}`, {
      expected: ITS_SALT,
      found: version === undefined ? NEITHER : `${NEITHER}; ${contentOf(version, entry)}`,
    })
  }
  for (const version of spare.filter((one) => old.includes(one)))
    findings.add('record_without_entry', `the record ${subject}`, {
      expected: 'an entry of this version',
      found: `content ${version.content.toString('hex')}`,
    })
}

function contentOf({ content }: RecordVersion, { salt }: ManifestRow): string {
  const digest = content.toString('hex')
  return salt === null
    ? `content ${digest}`
    : `content ${digest} with the commitment ${commitmentOf(salt, digest)}`
}

/** `expected` and `found` of a finding about an entry without a salt, whose content cannot be checked. */
export const ITS_SALT = 'a salt, or a later entry that records the erasure'
export const NEITHER = 'no salt, and no such entry'
const KINDS = ['record', 'erasure']
