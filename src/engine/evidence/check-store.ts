import { createHash } from 'node:crypto'
import { areStored, storedContents, subjectsOf } from '../../warehouse/evidence-files.ts'
import { runLimited } from '../run-limited.ts'
import type { Verifying } from './verifying.ts'

/** Reads every stored file again and compares its digest and size; then looks for files that are nobody's. */
export async function checkStore(verifying: Verifying): Promise<void> {
  const { account, warehouse, signal, checked, onProgress } = verifying
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    const contents = await storedContents(warehouse.db, account, { after, limit: PAGE })
    await runLimited(contents, FILES_AT_ONCE, async ({ sha256, size }) => {
      signal.throwIfAborted()
      await checkContent(verifying, { sha256, size })
      checked.files++
      onProgress?.({ files: checked.files, bytes: checked.bytes })
    })
    const last = contents.at(-1)
    if (contents.length < PAGE || last === undefined) break
    after = last.sha256
  }
  await findStrangers(verifying)
}

async function checkContent(
  verifying: Verifying,
  { sha256, size }: { sha256: Buffer; size: number },
): Promise<void> {
  const { store, checked } = verifying
  const expected = sha256.toString('hex')
  const pieces = await store.read(expected)
  if (pieces === undefined) return report(verifying, sha256, { code: 'file_missing', expected })
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of pieces) {
    hash.update(piece)
    bytes += piece.length
  }
  checked.bytes += bytes
  const found = hash.digest('hex')
  if (found !== expected)
    return report(verifying, sha256, { code: 'file_changed', expected, found })
  if (bytes === size) return
  await report(verifying, sha256, {
    code: 'size_wrong',
    expected: `${size} bytes`,
    found: `${bytes} bytes`,
  })
}

/** A file that was removed in good order since it was listed is no finding. */
async function report(
  { account, warehouse, findings }: Verifying,
  sha256: Buffer,
  { code, ...seen }: { code: string; expected: string; found?: string },
): Promise<void> {
  const subjects = await subjectsOf(warehouse.db, account, sha256)
  if (subjects.length === 0) return
  findings.add(code, `the file of ${subjects.join(', ')}`, {
    ...seen,
    ...(code === 'file_missing' ? { found: 'no such file in the store' } : {}),
  })
}

/** What lies in the store and nobody entered. While somebody fetches, a file is there before its entry. */
async function findStrangers(verifying: Verifying): Promise<void> {
  const { account, warehouse, store, findings } = verifying
  let digests: string[] = []
  const judge = async (): Promise<void> => {
    const known = await areStored(warehouse.db, account, digests)
    for (const digest of digests)
      if (!known.has(digest))
        findings.add('file_without_entry', `the file ${digest} in ${store.place}`, {
          expected: 'a file that the ledger names as stored',
        })
    digests = []
  }
  for await (const { sha256 } of store.list()) {
    digests.push(sha256)
    if (digests.length === PAGE) await judge()
  }
  await judge()
}

const PAGE = 1_000
const FILES_AT_ONCE = 8
