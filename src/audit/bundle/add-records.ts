import { counted } from '../../core/values/quantities.ts'
import { pairVersions } from '../../evidence/match-versions.ts'
import { mergeBySubject } from '../../evidence/merge-by-subject.ts'
import { contentsBySubject, type RecordContent } from '../../evidence/sql/audited-records.ts'
import { entriesAmong } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Contents } from './contents.ts'
import { type Exporting, UNSIGNED } from './exporting.ts'
import { isSigned, selections } from './in-scope.ts'

/**
 * Adds the versions whose entries the checkpoint covers, one per line. A version that contains a newline
 * becomes a member of its own, so that a line is always the exact bytes of a record.
 */
export async function addRecords(
  tx: Transaction,
  exporting: Exporting,
  contents: Contents,
): Promise<void> {
  const { bundle, facts, problems } = exporting
  for (const { stream, keys, subjects } of selections(tx, exporting)) {
    let without = 0
    const spanning: RecordContent[] = []
    const lines = async function* (): AsyncGenerator<Uint8Array> {
      const versions = contentsBySubject(tx, { account: exporting.account, stream }, keys)
      const entries = entriesAmong(tx, exporting.account, { subjects: [subjects], by: 'subject' })
      for await (const { left, right } of mergeBySubject(versions, entries)) {
        const records = right.filter(
          (entry) => entry.kind === 'record' && isSigned(exporting, entry),
        )
        const { pairs, matched } = pairVersions(left, records)
        // `reportFindings` reports a version whose bytes differ from its entry.
        without += Math.max(0, matched.versions.length - matched.entries.length)
        for (const { version, entry } of pairs) {
          contents.known.set(entry.seq, version.content.toString('hex'))
          facts.records++
          if (version.bytes.includes(NEWLINE)) spanning.push(version)
          else yield Buffer.concat([version.bytes, Buffer.from([NEWLINE])])
        }
      }
    }
    await bundle.add(`records/${stream.name}.ndjson`, lines())
    const digests = new Map(spanning.map((one) => [one.content.toString('hex'), one.bytes]))
    facts.records -= spanning.length - digests.size
    for (const [digest, bytes] of digests) await bundle.add(`records/${digest}.json`, [bytes])
    if (without > 0) problems.push(`${counted(without, 'version')} of ${stream.name} ${UNSIGNED}`)
  }
}

const NEWLINE = 10
