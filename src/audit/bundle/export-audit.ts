import { rm } from 'node:fs/promises'
import { CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import { readCheckpoint, stateText } from '../../evidence/log/checkpoint.ts'
import type { PublicKey } from '../../evidence/log/signing-key.ts'
import { lastCheckpoint } from '../../evidence/sql/checkpoints.ts'
import { readingEntries } from '../../evidence/sql/manifest.ts'
import { unexplainedEntries, WHAT_TO_DO, wordKeys } from '../../evidence/unexplained.ts'
import { type PlacedFile, putInPlace } from '../../report/put-in-place.ts'
import { bundleFileError, bundleWithdrawn } from '../../report/report-directory.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { analyzeFresh } from '../../warehouse/fresh-statistics.ts'
import { erasuresSoFar, noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import { verifyPage } from '../page/verify-page.ts'
import type { BundleFacts } from '../proof/bundle-format.ts'
import { addEvidence } from './add-evidence.ts'
import { addFiles, addWorkbook, expectNonePruned } from './add-files.ts'
import { addIndex, addManifest } from './add-manifest.ts'
import { addRecords } from './add-records.ts'
import { addSlices } from './add-slices.ts'
import { selectionOf } from './audit-selection.ts'
import { type BundleWriter, writeBundle } from './bundle-writer.ts'
import { type Anchors, checkSteps } from './check-steps.ts'
import { noContents } from './contents.ts'
import type { ExportedAudit, Exporting, ExportOptions } from './exporting.ts'
import { bundleReadme } from './readme.ts'
import { recordExport } from './record-export.ts'
import { reportFindings } from './report-findings.ts'
import { clearLeftBundles, temporaryName } from './temporary-bundle.ts'

/**
 * Writes the bundle of a period: first the data from one snapshot of the database, then the files. Everything
 * is streamed; memory grows only by a digest per entry. Each of several concurrent exports to one path writes
 * a complete bundle, and the last one replaces the others. If a person is erased during the export, the
 * bundle is withdrawn (`bundle_withdrawn`). If a prune removes one of its files, the export fails
 * (`pruned_meanwhile`).
 */
export async function exportAudit(
  deps: { warehouse: Warehouse; clock: Clock },
  options: ExportOptions,
): Promise<ExportedAudit> {
  const { path, key } = options
  await clearLeftBundles(path)
  await analyzeFresh(deps.warehouse)
  const page = await verifyPage()
  const temporary = temporaryName(path)
  const exportedAtMs = deps.clock.now()
  await point('file:writing')
  const bundle = tellingWriter(writeBundle(temporary, exportedAtMs), path)
  try {
    const { exporting, digests, mark, anchors } = await deps.warehouse.transaction(
      (tx) => exportDatabase(tx, { ...options, bundle, exportedAtMs }),
      { snapshot: true, once: true },
    )
    const missing = await addFiles(exporting, digests)
    await expectNonePruned(deps.warehouse, exporting, { missing, mark })
    // The README is added after the files, because it lists their problems.
    const { facts, problems } = exporting
    await bundle.add('README.txt', [bundleReadme(facts, { anchors, problems })])
    await bundle.add('CHECK.txt', [checkSteps(facts, anchors)])
    await bundle.add('verify.html', [page])
    await addWorkbook(exporting)
    facts.sizes = bundle.sizes()
    await bundle.add('bundle.json', [`${JSON.stringify(facts, undefined, 2)}\n`])
    await bundle.end(key)
    await point('file:written')
    const placed = await place(deps.warehouse, options, { temporary, mark })
    return { ...placed, facts, problems }
  } catch (error) {
    await bundle.abandon()
    await rm(temporary, { force: true })
    throw error
  }
}

/** Moves the bundle to its final path and records it; withdraws it if somebody was erased since `mark`. */
async function place(
  warehouse: Warehouse,
  options: ExportOptions,
  { temporary, mark }: { temporary: string; mark: string },
): Promise<PlacedFile> {
  const { path, scope } = options
  await point('file:synced')
  const owner = { warehouse, account: scope.account }
  const placed = await putInPlace(owner, { temporary, path }).catch(async (error: unknown) => {
    // The move may have failed because an erasure removed the unfinished bundle.
    const stands = (tx: Transaction): Promise<boolean> => noneErasedSince(tx, scope.account, mark)
    throw (await warehouse.transaction(stands)) ? error : bundleWithdrawn(path)
  })
  await point('file:renamed')
  if (await recordExport(warehouse, options, { files: [placed], mark })) return placed
  await rm(placed.path, { force: true })
  throw bundleWithdrawn(placed.path)
}

interface ExportedDatabase {
  exporting: Exporting
  /** The files that the bundle must contain. */
  digests: string[]
  /** The state of erasures before the export, to detect later ones. */
  mark: string
  anchors: Anchors
}

async function exportDatabase(
  tx: Transaction,
  options: ExportOptions & { bundle: BundleWriter; exportedAtMs: number },
): Promise<ExportedDatabase> {
  const { scope, key, exportedAtMs } = options
  const mark = await erasuresSoFar(tx, scope.account)
  // Checkpoints of a previous key count only until the current key has signed one.
  const own = await lastCheckpoint(tx, scope.account, key.publicKey.der)
  const newest = await lastCheckpoint(tx, scope.account)
  const last = own ?? newest
  const state = readCheckpoint(last?.note ?? '')
  if (last === undefined || state === undefined)
    throw nothingSigned(scope.account, last !== undefined)
  const facts: BundleFacts = {
    v: 1,
    account: scope.account,
    from: scope.from,
    to: scope.to,
    whiteboard: scope.whiteboard ?? null,
    user: scope.user ?? null,
    exported_at: new Date(exportedAtMs).toISOString(),
    ...(options.forCase && { case: { ...options.forCase, exported_by: options.by } }),
    checkpoint: stateText(state),
    key: key.publicKey.fingerprint,
    entries: 0,
    records: 0,
    files: 0,
    sizes: {},
  }
  const selection = await selectionOf(tx, scope)
  const keys = wordKeys(key.publicKey, options.previousKeys, last)
  const told = await takenUnsigned(tx, { account: scope.account, after: state.size, keys })
  const { origin, size, root } = state
  const log = { ...last, origin, size, root }
  const found = { selection, log, facts, lost: new Set<number>() }
  const exporting = { ...options, ...told, ...found, account: scope.account }
  if (newest !== undefined && newest.note !== last.note)
    exporting.problems.push(
      `the checkpoint over ${newest.size} entries was left out, because the current key, which signed an ` +
        'older one, did not sign it: run callsheet verify to see what differs',
    )
  const anchors = await addEvidence(tx, exporting)
  await reportFindings(tx, exporting)
  const contents = noContents()
  await addRecords(tx, exporting, contents)
  await addSlices(tx, exporting, contents)
  await addManifest(tx, exporting, contents)
  return { exporting, digests: await addIndex(tx, exporting, contents), mark, anchors }
}

/** Returns the entries after the checkpoint that the key must sign, and the problems to report about them. */
async function takenUnsigned(
  tx: Transaction,
  { account, after, keys }: { account: string; after: number; keys: readonly PublicKey[] },
): Promise<Pick<Exporting, 'pending' | 'unexplained' | 'problems'>> {
  const found = await unexplainedEntries(tx, account, { after, keys })
  const unexplained = new Set(found.map(({ seq }) => seq))
  const taking = await readingEntries(tx, account, after)
  return {
    pending: taking.filter(({ seq }) => !unexplained.has(seq)),
    unexplained,
    problems: found.map(
      ({ seq, kind, subject }) =>
        `entry ${seq}, ${kind} of ${subject}, has no valid signature: ${WHAT_TO_DO}`,
    ),
  }
}

function nothingSigned(account: string, unreadable: boolean): CallsheetError {
  return new CallsheetError('nothing_signed', {
    tried: `Exporting the evidence of account ${account}`,
    came: unreadable
      ? 'the newest checkpoint in the database is unreadable'
      : 'no checkpoint has been signed yet',
    todo: unreadable
      ? 'run callsheet verify to see what differs'
      : 'run callsheet sync whiteboard-archives, which reads the archives and signs a checkpoint',
  })
}

/**
 * Converts file errors of a writer to errors with a cause and advice. It must do so at once: the transaction
 * in which members are added takes other errors for errors of the database.
 */
function tellingWriter(bundle: BundleWriter, path: string): BundleWriter {
  const telling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw bundleFileError(error, path)
    }
  }
  return {
    add: (name, pieces, options) => telling(bundle.add(name, pieces, options)),
    sizes: () => bundle.sizes(),
    end: (key) => telling(bundle.end(key)),
    abandon: () => bundle.abandon(),
  }
}
