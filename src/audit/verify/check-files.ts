import { FILE_ENTRY_KINDS, type FileEntries, readFileEntries } from '../../evidence/file-entries.ts'
import { commitmentOf } from '../../evidence/log/digest.ts'
import { readEntry } from '../../evidence/log/entry.ts'
import { hasSize, lostSalts } from '../../evidence/match-versions.ts'
import { mergeBySubject } from '../../evidence/merge-by-subject.ts'
import { filesBySubject, type LedgerFile } from '../../evidence/sql/evidence-files.ts'
import { entriesBySubject, type ManifestRow } from '../../evidence/sql/manifest.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { ITS_SALT, NEITHER } from './check-records.ts'
import type { Comparing } from './verifying.ts'

/** Compares each file of the ledger with its entries, and the entries with the ledger. */
export async function checkLedger(
  tx: Transaction,
  verifying: Comparing,
  signedAt: string | undefined,
): Promise<void> {
  const pending: LedgerFile[] = []
  for (const { kind, stream } of FILE_KINDS) {
    const files = filesBySubject(tx, verifying.account, kind)
    const wanted = { stream, kinds: FILE_ENTRY_KINDS }
    const entries = entriesBySubject(tx, verifying.account, wanted)
    for await (const { subject, left, right: said } of mergeBySubject(files, entries)) {
      const right = said.filter(({ seq }) => !verifying.unexplained.has(seq))
      const [file] = left
      const read = readFileEntries(right, file?.sha256)
      // Activities share subjects with records, and `checkRecords` reports the missing salts of their
      // erasures.
      const saltless = lostSalts(right).filter(
        (one) => kind === 'recording' || one.kind !== 'erasure',
      )
      const late = checkFile(verifying, { subject, file, read, saltless })
      if (file === undefined || late === undefined) continue
      // A file stored after the newest checkpoint waits for the next one. A removal is recorded in the same
      // transaction as its entry.
      const stored = signedAt === undefined || Date.parse(file.state_at) > Date.parse(signedAt)
      if (stored && file.state === 'stored') pending.push(file)
      else
        verifying.findings.add(late, subject, {
          expected: `an entry that the file was ${file.state}`,
        })
    }
  }
  if (pending.length > 0)
    verifying.notJudged.push(
      `${pending.length} files that were stored since the newest checkpoint and have no entry yet.`,
    )
}

interface Compared {
  subject: string
  file: LedgerFile | undefined
  read: FileEntries
  /** Entries without a salt that no erasure explains. */
  saltless: readonly ManifestRow[]
}

/** Adds findings about a file. Returns the code of a missing entry, which the caller may have to ignore. */
function checkFile(verifying: Comparing, compared: Compared): string | undefined {
  const { findings, checked, lost } = verifying
  const { subject, file, read, saltless } = compared
  const { standing, erased } = read
  for (const { before, entry } of read.replaced)
    findings.add('file_replaced', `${subject}, entry ${entry.seq}`, {
      expected:
        `the content of entry ${before.seq}, or an entry between the two that records ` +
        "the file's removal or erasure",
      found: `other content, of ${readEntry(entry.line)?.size ?? '?'} bytes`,
    })
  for (const entry of saltless)
    findings.add('salt_missing', `${subject}, entry ${entry.seq}`, {
      expected: ITS_SALT,
      found: file === undefined ? NEITHER : `${NEITHER}; the file is ${stateOf(file)}`,
    })
  for (const { seq } of saltless) lost?.add(seq)
  if (file === undefined && standing !== undefined) lost?.add(standing.seq)
  // An erased file under the store's lock is recorded as removed until the lock ends.
  if (erased && file?.state !== 'stored') checked.erased++
  if (file === undefined) {
    if (standing !== undefined)
      findings.add('entry_without_file', `${subject}, entry ${standing.seq}`, {
        expected:
          standing.kind === 'file'
            ? 'a stored file, or an entry that records its removal'
            : 'a removed file, according to its entry',
        found: 'no such file in the ledger',
      })
    return undefined
  }
  if (standing === undefined) {
    if (file.state === 'removed') return erased ? undefined : 'removal_without_entry'
    return 'file_without_entry'
  }
  compareWith(verifying, { subject, file, standing })
  return file.state === 'removed' && standing.kind === 'file' ? 'removal_without_entry' : undefined
}

function compareWith(
  { findings }: Comparing,
  { subject, file, standing }: { subject: string; file: LedgerFile; standing: ManifestRow },
): void {
  const what = `${subject}, entry ${standing.seq}`
  const digest = file.sha256.toString('hex')
  if (file.state === 'stored' && standing.kind === 'removal')
    findings.add('ledger_changed', what, {
      expected: 'a removed file, according to its entry',
      found: `a stored file with the digest ${digest}`,
    })
  // `checkFile` reports missing salts that no erasure explains.
  if (standing.salt === null) return
  const said = readEntry(standing.line)
  const found = commitmentOf(standing.salt, digest)
  if (found !== said?.commitment || !hasSize(standing, file.size))
    findings.add('ledger_changed', what, {
      expected: `${said?.size ?? '?'} bytes with the commitment ${said?.commitment ?? '(unreadable)'}`,
      found: `${file.size} bytes with the digest ${digest} and the commitment ${found}`,
    })
}

function stateOf({ state, sha256 }: LedgerFile): string {
  return `${state}, with the digest ${sha256.toString('hex')}`
}

const FILE_KINDS = [
  { kind: 'activity', stream: 'whiteboard_activities' },
  { kind: 'recording', stream: 'recording_files' },
] as const
