import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removedContents } from '../../archive/sql/kept-contents.ts'
import { CallsheetError } from '../../core/errors.ts'
import { faultOfOneFile } from '../../store/one-file.ts'
import type { FileStore } from '../../store/store.ts'
import type { Warehouse } from '../../warehouse/connect.ts'
import { noneErasedSince } from '../../warehouse/keep-out/erasure-locks.ts'
import type { Exporting } from './exporting.ts'

/**
 * Adds each stored file once. Reports and omits a file that the store lost or cannot read. An altered file is
 * reported too, but added under its expected name as evidence. Returns the digests of the omitted files.
 */
export async function addFiles(
  exporting: Exporting,
  digests: readonly string[],
): Promise<string[]> {
  const { bundle, store, facts, problems, signal } = exporting
  const missing: string[] = []
  for (const digest of digests) {
    signal.throwIfAborted()
    const { pieces, lacks } = await opened(store, digest)
    if (pieces === undefined) {
      missing.push(digest)
      problems.push(`the store ${lacks} ${digest}, which the log names: run callsheet verify`)
      continue
    }
    // Most files are compressed already, and uncompressed members can be checked without unpacking.
    const came = await bundle.add(`files/${digest}`, pieces, { compress: false })
    facts.files++
    if (came !== digest)
      problems.push(
        `the file ${digest} was altered in the store, where its SHA-256 is now ${came}: run callsheet verify`,
      )
  }
  return missing
}

/**
 * Throws if a prune removed a file of the bundle after its snapshot, because the bundle would look altered.
 * Checks nothing if a person was erased since then, because the export then withdraws the bundle.
 */
export async function expectNonePruned(
  warehouse: Pick<Warehouse, 'transaction'>,
  { account, path }: Exporting,
  { missing, mark }: { missing: readonly string[]; mark: string },
): Promise<void> {
  for (let at = 0; at < missing.length; at += ASKED_AT_ONCE) {
    const some = missing.slice(at, at + ASKED_AT_ONCE)
    const [first] = await warehouse.transaction(async (tx) => {
      const erased = !(await noneErasedSince(tx, account, mark))
      return erased ? [] : await removedContents(tx, account, some)
    })
    if (first !== undefined) throw prunedMeanwhile(path, first)
  }
}

function prunedMeanwhile(path: string, digest: string): CallsheetError {
  return new CallsheetError('pruned_meanwhile', {
    tried: `Writing the bundle ${path}`,
    came: `a prune removed files meanwhile, among them ${digest}`,
    todo: 'export the bundle again',
  })
}

/** Returns the file's bytes, or the reason as text if they cannot be read. */
async function opened(
  store: FileStore,
  digest: string,
): Promise<{ pieces?: AsyncIterable<Uint8Array>; lacks?: string }> {
  try {
    const pieces = await store.read(digest)
    return pieces === undefined ? { lacks: 'has no file' } : { pieces }
  } catch (error) {
    const fault = faultOfOneFile(error)
    if (fault === undefined) throw error
    return { lacks: `cannot read (${fault}) the file` }
  }
}

/** Adds the workbook, if any. It is made in a temporary folder beside the unfinished bundle. */
export async function addWorkbook(exporting: Exporting, staging: string): Promise<void> {
  const { bundle, makeWorkbook, problems } = exporting
  if (makeWorkbook === undefined) return
  const directory = await mkdtemp(join(staging, '.workbook-'))
  try {
    for (const name of await madeOrSaid(makeWorkbook(directory), problems)) {
      const ending = /\.[a-z]{3,4}$/.exec(name)?.[0] ?? ''
      await bundle.add(`whiteboard-audit${ending}`, createReadStream(join(directory, name)), {
        compress: false,
      })
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A `CallsheetError` of the workbook does not stop the export; it is listed as a problem. */
async function madeOrSaid(made: Promise<string[]>, problems: string[]): Promise<string[]> {
  try {
    return await made
  } catch (error) {
    if (!(error instanceof CallsheetError)) throw error
    problems.push(`the bundle contains no workbook: ${error.message}`)
    return []
  }
}

const ASKED_AT_ONCE = 1_000
