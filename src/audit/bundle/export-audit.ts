import { basename, dirname, join } from 'node:path'
import { CallsheetError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { readCheckpoint, stateText } from '../../evidence/log/checkpoint.ts'
import type { PublicKey } from '../../evidence/log/signing-key.ts'
import { lastCheckpoint } from '../../evidence/sql/checkpoints.ts'
import { readingEntries } from '../../evidence/sql/manifest.ts'
import { unexplainedEntries, WHAT_TO_DO, wordKeys } from '../../evidence/unexplained.ts'
import { type PublishedEntry, publishFiles } from '../../report/publish-files.ts'
import { reportFileError } from '../../report/report-directory.ts'
import type { Transaction, Warehouse } from '../../warehouse/connect.ts'
import { analyzeFresh } from '../../warehouse/fresh-statistics.ts'
import { erasuresSoFar } from '../../warehouse/keep-out/erasure-locks.ts'
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
import { reportFindings } from './report-findings.ts'

/**
 * Writes the bundle of a period: first the data from one snapshot of the database, then the files. Records
 * and files are streamed. Each of several concurrent exports to one path writes a complete bundle, and the
 * last one replaces the others. If a person is erased during the export, the bundle is withdrawn
 * (`report_withdrawn`). If a prune removes one of its files, the export fails (`pruned_meanwhile`).
 */
export async function exportAudit(
  { warehouse, clock }: { warehouse: Warehouse; clock: Clock },
  options: ExportOptions,
): Promise<ExportedAudit> {
  const { path, scope } = options
  const [directory, name] = [dirname(path), basename(path)]
  await analyzeFresh(warehouse)
  const page = await verifyPage()
  const exportedAtMs = clock.now()
  let bundle: BundleWriter | undefined
  try {
    const { made, files } = await publishFiles(warehouse, {
      account: scope.account,
      directory,
      async make(tx, stage) {
        // If the transaction is repeated, the bundle is written again.
        await bundle?.abandon()
        const staging = await stage(basename(path, '.zip'))
        bundle = tellingWriter(writeBundle(join(staging, name), exportedAtMs), directory)
        const exported = await exportDatabase(tx, { ...options, bundle, exportedAtMs })
        return { ...exported, runIds: await lastRun(tx, scope.account), names: [] }
      },
      async complete(exported, staging) {
        await complete(warehouse, exported, { staging, page })
        return [name]
      },
      entry: ({ runIds }) => ({ ...entryOf(options), asOfMs: exportedAtMs, runIds }),
    })
    const { facts, problems } = made.exporting
    const [placed] = files
    if (placed === undefined) throw new Error('The bundle has no file')
    return { ...placed, facts, problems }
  } catch (error) {
    await bundle?.abandon()
    throw error
  }
}

/** Adds the files, the documents about the bundle and the workbook, and ends the bundle. */
async function complete(
  warehouse: Warehouse,
  { exporting, digests, mark, anchors }: ExportedDatabase,
  { staging, page }: { staging: string; page: string },
): Promise<void> {
  const { bundle, facts, problems, key } = exporting
  const missing = await addFiles(exporting, digests)
  await expectNonePruned(warehouse, exporting, { missing, mark })
  await bundle.add('README.txt', [bundleReadme(facts, { anchors, problems })])
  await bundle.add('CHECK.txt', [checkSteps(facts, anchors)])
  await bundle.add('verify.html', [page])
  await addWorkbook(exporting, staging)
  facts.sizes = bundle.sizes()
  await bundle.add('bundle.json', [`${JSON.stringify(facts, undefined, 2)}\n`])
  await bundle.end(key)
}

/** Returns the publication's entry, with the scope, the person and the case as its parameters. */
function entryOf({ scope, by, forCase }: ExportOptions): Omit<PublishedEntry, 'asOfMs' | 'runIds'> {
  const { account: _account, ...asked } = scope
  return { report: 'audit-export', params: { ...asked, by, case: forCase?.name }, asked: {} }
}

async function lastRun(tx: Transaction, account: string): Promise<number[]> {
  const { id } = await tx
    .selectFrom('callsheet.runs')
    .select(({ fn }) => fn.max<number | null>('id').as('id'))
    .where('account', '=', account)
    .where('finished_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return id === null ? [] : [id]
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
function tellingWriter(bundle: BundleWriter, directory: string): BundleWriter {
  const telling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw reportFileError(error, directory)
    }
  }
  return {
    add: (name, pieces, options) => telling(bundle.add(name, pieces, options)),
    sizes: () => bundle.sizes(),
    end: (key) => telling(bundle.end(key)),
    abandon: () => bundle.abandon(),
  }
}
