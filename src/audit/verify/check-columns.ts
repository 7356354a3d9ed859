import type { Stream } from '../../core/define/stream.ts'
import { prepareRow } from '../../core/records/prepare-row.ts'
import { HASH_BYTES, rawText } from '../../core/records/record-hash.ts'
import type { PreparedRow } from '../../core/records/row-batch.ts'
import { parseLossless } from '../../core/values/lossless-json.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import type { RowSchema } from '../../evidence/sql/audited-records.ts'
import { entriesOf } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import {
  differentColumns,
  differentParts,
  type PlacedVersion,
  placedVersions,
} from './audited-columns.ts'
import type { Verifying } from './verifying.ts'

/**
 * Rebuilds each version's row from its bytes, which the manifest covers, and compares it with the columns
 * that reports use; the same for the child rows of a record. `known` are subjects that already have a worse
 * finding.
 */
export async function checkColumns(
  tx: Transaction,
  verifying: Checked,
  { stream, known }: { stream: Stream; known: ReadonlySet<string> },
): Promise<void> {
  const nestedStreams = verifying.streams.filter(
    ({ sync }) => sync.kind === 'nested' && sync.parent === stream,
  )
  let unclear = 0
  for (const where of ['svc', 'history'] as const) {
    const checking: Checking = { tx, verifying, stream, nestedStreams, where, known }
    let batch: Made[] = []
    for await (const placed of placedVersions(tx, { account: verifying.account, stream }, where)) {
      const row = remade(stream, nestedStreams, placed)
      if (row !== undefined) batch.push({ placed, row })
      if (batch.length < BATCH) continue
      unclear += await checkBatch(checking, batch)
      batch = []
    }
    if (batch.length > 0) unclear += await checkBatch(checking, batch)
  }
  if (unclear > 0)
    verifying.notJudged.push(
      `${unclear} records of ${stream.name} from which a person was erased differ from their bytes; ` +
        'whether that is the erasure alone cannot be told.',
    )
}

type Checked = Pick<Verifying, 'account' | 'streams' | 'findings' | 'notJudged' | 'unexplained'>

interface Made {
  placed: PlacedVersion
  row: PreparedRow
}

interface Checking {
  tx: Transaction
  verifying: Checked
  stream: Stream
  nestedStreams: readonly Stream[]
  where: RowSchema
  known: ReadonlySet<string>
}

/** Undefined for bytes that are not a record: no entry has their digest, which another check reports. */
function remade(
  stream: Stream,
  nestedStreams: readonly Stream[],
  { key, bytes }: PlacedVersion,
): PreparedRow | undefined {
  const source = bytes.toString('utf8')
  let record: unknown
  try {
    record = parseLossless(source)
  } catch {
    return undefined
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined
  const { sync } = stream
  const parent =
    sync.kind === 'fan-out'
      ? { key: key.slice(0, sync.parent.key.length), record: undefined }
      : undefined
  return prepareRow(
    { stream, nestedStreams, findings: [], quarantined: [] },
    record as WireRecord,
    {
      key,
      context: { ordinal: 0, filter: {}, ...(parent === undefined ? {} : { parent }) },
      text: rawText(stream, record as WireRecord, source),
      hash: Buffer.alloc(HASH_BYTES),
      source,
    },
  )
}

/** Returns for how many records nobody can know whether an erasure or somebody else changed them. */
async function checkBatch(checking: Checking, batch: readonly Made[]): Promise<number> {
  const { tx, stream, where, nestedStreams, verifying, known } = checking
  const wrong = new Map<string, { code: string; expected: string; found: string }>()
  for (const { at, columns } of await differentColumns(tx, { stream, where }, batch))
    wrong.set(batch[at]?.placed.subject ?? '', {
      code: 'columns_changed',
      expected: 'columns that say what its bytes say',
      found: `another ${columns.join(', ')}`,
    })
  if (where === 'svc')
    for (const child of nestedStreams)
      for (const [subject, found] of await wrongParts(checking, child, batch))
        wrong.set(subject, {
          code: 'parts_changed',
          expected: `the ${child.name} that its bytes name`,
          found,
        })
  for (const subject of known) wrong.delete(subject)
  if (wrong.size === 0) return 0
  const wanted = { subjects: [...wrong.keys()], kinds: ['erasure'] }
  const entries = await entriesOf(tx, verifying.account, wanted)
  const { unexplained } = verifying
  const erased = new Set(
    entries.flatMap(({ seq, subject }) => (unexplained.has(seq) ? [] : [subject])),
  )
  for (const [subject, { code, ...finding }] of wrong)
    if (!erased.has(subject)) verifying.findings.add(code, `the record ${subject}`, finding)
  return erased.size
}

async function wrongParts(
  { tx, verifying: { account } }: Checking,
  stream: Stream,
  batch: readonly Made[],
): Promise<[subject: string, found: string][]> {
  // A child row's key starts with its record's key, which has one part.
  const present = batch.filter(({ placed }) => !placed.deleted)
  const subjects = new Map(present.map(({ placed }) => [placed.key[0] ?? '', placed.subject]))
  const made = present.flatMap(({ row }) =>
    row.children.filter((child) => child.stream === stream).flatMap(({ rows }) => rows),
  )
  const parts = await differentParts(
    tx,
    { account, stream },
    { parents: [...subjects.keys()], made },
  )
  const parted = new Set(
    batch
      .filter(({ row }) => row.children.some((child) => child.stream === stream && !child.whole))
      .map(({ placed }) => placed.key[0]),
  )
  // Where a part was quarantined, the earlier child rows stay.
  return parts
    .map((part) => (parted.has(part.parent) ? { ...part, added: 0 } : part))
    .filter(({ missing, added, changed }) => missing + added + changed > 0)
    .map(({ parent, missing, added, changed }) => [
      subjects.get(parent) ?? parent,
      `${missing} missing, ${added} added, ${changed} that say something else`,
    ])
}

const BATCH = 500
