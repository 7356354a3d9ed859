import { rm } from 'node:fs/promises'
import type { Clock } from '../core/clock.ts'
import { CallsheetError } from '../core/errors.ts'
import { point } from '../core/point.ts'
import { type BundleWriter, writeBundle } from '../evidence/bundle-writer.ts'
import type { BundleFacts } from '../evidence/bundle-format.ts'
import { bundleReadme } from '../evidence/readme.ts'
import type { Transaction, Warehouse } from '../warehouse/connect.ts'
import { readHeads } from '../warehouse/heads.ts'
import { addEvidence } from './export/add-evidence.ts'
import { addFiles, addWorkbook } from './export/add-files.ts'
import { addIndex, addManifest, addRecords } from './export/add-records.ts'
import type { ExportedAudit, Exporting, ExportOptions } from './export/exporting.ts'
import { tellingWriter } from './export/telling-writer.ts'
import { recordExport } from './export/record-export.ts'
import { putInPlace } from './export/put-in-place.ts'

/**
 * Writes the bundle of a period: what the database holds of it as one snapshot, then the files. Streamed from
 * end to end; what is remembered is a digest for each entry.
 */
export async function exportAudit(
  deps: { warehouse: Warehouse; clock: Clock },
  options: ExportOptions,
): Promise<ExportedAudit> {
  const { path, key } = options
  const temporary = `${path}.part`
  await rm(temporary, { force: true })
  const exportedAtMs = deps.clock.now()
  await point('file:writing')
  const bundle = tellingWriter(writeBundle(temporary, exportedAtMs), path)
  try {
    const { exporting, digests } = await deps.warehouse.transaction(
      (tx) => exportDatabase(tx, { ...options, bundle, exportedAtMs }),
      { snapshot: true },
    )
    await addFiles(exporting, digests)
    await addWorkbook(exporting)
    await bundle.add('bundle.json', [`${JSON.stringify(exporting.facts, undefined, 2)}\n`])
    await bundle.end(key)
    await point('file:written')
    const placed = await putInPlace(temporary, path)
    const { facts, problems } = exporting
    await recordExport(deps.warehouse, options, placed)
    return { path, ...placed, facts, problems }
  } catch (error) {
    await bundle.abandon()
    await rm(temporary, { force: true })
    throw error
  }
}

async function exportDatabase(
  tx: Transaction,
  options: ExportOptions & { bundle: BundleWriter; exportedAtMs: number },
): Promise<{ exporting: Exporting; digests: string[] }> {
  const { scope, key, exportedAtMs, bundle } = options
  const heads = await readHeads(tx, scope.account)
  const last = heads.at(-1)
  if (last === undefined) throw nothingSigned(scope.account)
  const facts: BundleFacts = {
    v: 1,
    account: scope.account,
    from: scope.from,
    to: scope.to,
    whiteboard: scope.whiteboard ?? null,
    user: scope.user ?? null,
    exported_at: new Date(exportedAtMs).toISOString(),
    head: last.hash.toString('hex'),
    key: key.publicKey.fingerprint,
    entries: 0,
    records: 0,
    files: 0,
  }
  const exporting = { ...options, account: scope.account, heads, facts, problems: [] }
  const anchors = await addEvidence(tx, exporting)
  await bundle.add('README.txt', [bundleReadme(facts, { lastHead: last.number, anchors })])
  const contents = await addRecords(tx, exporting)
  await addManifest(tx, exporting, contents)
  return { exporting, digests: await addIndex(tx, exporting, contents) }
}

function nothingSigned(account: string): CallsheetError {
  return new CallsheetError('nothing_signed', {
    tried: `Exporting the evidence of account ${account}`,
    expected: 'a signed head',
    came: 'none yet',
    todo: 'run callsheet sync whiteboard-archives, which enters and signs what it reads',
  })
}
