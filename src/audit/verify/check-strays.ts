import type { Stream } from '../../core/define/stream.ts'
import { entriesOf } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { countDeleted, orphanedParts, type StrayRecord, strayRecords } from './stray-rows.ts'
import type { Comparing } from './verifying.ts'

/**
 * Reports rows that no entry can cover, and records hidden from reports, which read only the current rows.
 * `known` are subjects that already have a worse finding. What an erasure left of a record may be hidden by
 * right.
 */
export async function checkStrays(
  tx: Transaction,
  comparing: Comparing,
  { stream, known }: { stream: Stream; known: ReadonlySet<string> },
): Promise<void> {
  const { account, streams, notJudged } = comparing
  let batch: Stray[] = []
  for await (const stray of strayRecords(tx, { account, stream })) {
    if (!known.has(stray.subject)) batch.push(asFinding(stray))
    if (batch.length < BATCH) continue
    await tell(tx, comparing, batch)
    batch = []
  }
  for (const child of streams)
    if (child.sync.kind === 'nested' && child.sync.parent === stream)
      for (const subject of await orphanedParts(tx, { account, stream: child, parent: stream }))
        if (!known.has(subject))
          batch.push({
            code: 'parts_without_record',
            subject,
            expected: 'a record that they are parts of',
            found: `${child.name} without it`,
          })
  await tell(tx, comparing, batch)
  const deleted = stream.deletions.by === 'never' ? 0 : await countDeleted(tx, { account, stream })
  if (deleted > 0)
    notJudged.push(
      `Whether the service has deleted the ${deleted} records of ${stream.name} that are marked so: ` +
        'no entry says so.',
    )
}

interface Stray {
  code: string
  subject: string
  expected: string
  found: string
}

function asFinding({ subject, proven, found }: StrayRecord): Stray {
  return proven
    ? { code: 'record_hidden', subject, expected: 'a record that reports show', found }
    : { code: 'bytes_missing', subject, expected: 'the bytes that the service sent', found }
}

async function tell(
  tx: Transaction,
  { account, findings, unexplained }: Comparing,
  strays: readonly Stray[],
): Promise<void> {
  if (strays.length === 0) return
  const wanted = { subjects: strays.map(({ subject }) => subject), kinds: ['erasure'] }
  const entries = await entriesOf(tx, account, wanted)
  const erased = new Set(
    entries.flatMap(({ seq, subject }) => (unexplained.has(seq) ? [] : [subject])),
  )
  for (const { code, subject, ...finding } of strays)
    if (!erased.has(subject)) findings.add(code, `the record ${subject}`, finding)
}

const BATCH = 500
