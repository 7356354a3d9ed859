import { type RawBuilder, sql } from 'kysely'
import { manifestLine } from '../../evidence/bundle-format.ts'
import { leafHash, MerkleTree } from '../../evidence/merkle.ts'
import {
  contentsBySubject,
  type RecordContent,
  subjectsOf,
} from '../../warehouse/audited-records.ts'
import { fileIndex, selectedKeys } from '../../warehouse/audit-selection.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { filesOf } from '../../warehouse/evidence-files.ts'
import type { HeadRow } from '../../warehouse/heads.ts'
import { entriesAmong, entriesBySeq, type ManifestRow } from '../../warehouse/manifest.ts'
import { contentOf, pairVersions } from '../evidence/match-versions.ts'
import { mergeBySubject } from '../evidence/merge-by-subject.ts'
import type { Exporting } from './exporting.ts'

/** By entry the digest, in hex, of the content that it speaks of. */
export type Contents = Map<number, string>

/**
 * Adds the versions that have an entry under a head, one a line. What spans lines of its own has a member of
 * its own, so that a line is always the very bytes of a record.
 */
export async function addRecords(tx: Transaction, exporting: Exporting): Promise<Contents> {
  const { bundle, facts, problems } = exporting
  const contents: Contents = new Map()
  for (const { stream, keys, subjects } of selections(exporting)) {
    let without = 0
    const spanning: RecordContent[] = []
    const lines = async function* (): AsyncGenerator<Uint8Array> {
      const versions = contentsBySubject(tx, { account: exporting.account, stream }, keys)
      const entries = entriesAmong(tx, exporting.account, { subjects, by: 'subject' })
      for await (const { left, right } of mergeBySubject(versions, entries)) {
        const records = right.filter(
          (entry) => entry.kind === 'record' && isSigned(exporting, entry),
        )
        const { pairs, matched } = pairVersions(left, records)
        without += matched.versions.length
        for (const { version, entry } of pairs) {
          contents.set(entry.seq, version.content.toString('hex'))
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
    if (without > 0)
      problems.push(`${without} versions of ${stream.name} are under no head yet and were left out`)
  }
  return contents
}

/** Adds the entries on everything in scope in their order, each with its proof. */
export async function addManifest(
  tx: Transaction,
  exporting: Exporting,
  contents: Contents,
): Promise<void> {
  const { account, bundle, facts } = exporting
  const subjects = sql.join(
    selections(exporting).map((one) => one.subjects),
    sql` union all `,
  )
  const lines = async function* (): AsyncGenerator<string> {
    let batch: { head: HeadRow; tree: MerkleTree } | undefined
    for await (const rows of inPages(entriesAmong(tx, account, { subjects, by: 'seq' }))) {
      await learnFiles(tx, { account, rows, contents })
      for (const row of rows) {
        if (batch === undefined || row.seq > batch.head.last_seq)
          batch = await nextBatch(tx, exporting, row)
        if (batch === undefined) return
        facts.entries++
        const { head, tree } = batch
        const leaf = row.seq - head.first_seq
        const content = contents.get(row.seq) ?? null
        const salt =
          content === null && row.kind !== 'record' ? null : (row.salt?.toString('hex') ?? null)
        const proof = tree.proof(leaf).map((hash) => hash.toString('hex'))
        yield manifestLine({ entry: row.line, salt, content, head: head.number, leaf, proof })
      }
    }
  }
  await bundle.add('manifest.ndjson', lines())
}

/** Adds what became of each activity's file. Answers the digests of those that the bundle must hold. */
export async function addIndex(
  tx: Transaction,
  { selection, bundle, problems }: Exporting,
  contents: Contents,
): Promise<string[]> {
  const entered = new Set(contents.values())
  const digests = new Set<string>()
  let without = 0
  const lines = async function* (): AsyncGenerator<string> {
    for await (const row of fileIndex(tx, selection)) {
      const { sha256, state } = row
      if (state === 'stored' && sha256 !== null) {
        // Nothing would prove it; the next head does.
        if (!entered.has(sha256)) {
          without++
          continue
        }
        digests.add(sha256)
      }
      yield `${JSON.stringify(row)}\n`
    }
  }
  await bundle.add('files.ndjson', lines())
  if (without > 0) problems.push(`${without} files are under no head yet and were left out`)
  return [...digests]
}

function selections({ selection, streams }: Exporting) {
  const selected = selectedKeys(selection)
  return streams.flatMap((stream) => {
    const keys: RawBuilder<unknown> | undefined = selected[stream.name]
    if (stream.audited !== true || keys === undefined) return []
    return [{ stream, keys, subjects: subjectsOf(stream, keys) }]
  })
}

function isSigned({ heads }: Exporting, { seq }: ManifestRow): boolean {
  return seq <= (heads.at(-1)?.last_seq ?? 0)
}

async function nextBatch(
  tx: Transaction,
  { account, heads }: Exporting,
  { seq }: ManifestRow,
): Promise<{ head: HeadRow; tree: MerkleTree } | undefined> {
  const head = heads.find(({ last_seq: last }) => seq <= last)
  if (head === undefined) return undefined
  const { first_seq: from, last_seq: to } = head
  const leaves = Buffer.alloc((to - from + 1) * HASH_BYTES)
  let at = 0
  for await (const { line } of entriesBySeq(tx, account, { from, to })) {
    leafHash(line).copy(leaves, at)
    at += HASH_BYTES
  }
  return { head, tree: new MerkleTree(leaves) }
}

/** The digests of files stand in the ledger; one that the file has no more is known to nobody. */
async function learnFiles(
  tx: Transaction,
  {
    account,
    rows,
    contents,
  }: { account: string; rows: readonly ManifestRow[]; contents: Contents },
): Promise<void> {
  const entries = rows.filter(({ kind }) => kind === 'file' || kind === 'removal')
  const files = await filesOf(tx, account, [...new Set(entries.map(({ subject }) => subject))])
  const bySubject = new Map(files.map((file) => [file.subject, file]))
  for (const entry of entries) {
    const digest = bySubject.get(entry.subject)?.sha256
    if (digest !== undefined && contentOf(entry, digest))
      contents.set(entry.seq, digest.toString('hex'))
  }
}

async function* inPages(rows: AsyncGenerator<ManifestRow>): AsyncGenerator<ManifestRow[]> {
  let page: ManifestRow[] = []
  for await (const row of rows) {
    page.push(row)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  yield page
}

const NEWLINE = 10
const HASH_BYTES = 32
const PAGE = 1_000
