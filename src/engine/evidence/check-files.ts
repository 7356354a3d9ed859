import { commitmentOf } from '../../evidence/digest.ts'
import { readEntry } from '../../evidence/entry.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { filesBySubject, type LedgerFile } from '../../warehouse/evidence-files.ts'
import { entriesBySubject, type ManifestRow } from '../../warehouse/manifest.ts'
import { mergeBySubject } from './merge-by-subject.ts'
import type { Verifying } from './verifying.ts'

/** Compares what the ledger says of each file with the last entry on it, and the other way round. */
export async function checkLedger(
  tx: Transaction,
  verifying: Verifying,
  signedAt: string | undefined,
): Promise<void> {
  const pending: LedgerFile[] = []
  for (const { kind, stream } of FILE_KINDS) {
    const files = filesBySubject(tx, verifying.account, kind)
    const entries = entriesBySubject(tx, verifying.account, { stream, kinds: ENTRY_KINDS })
    for await (const { subject, left, right } of mergeBySubject(files, entries)) {
      const [file] = left
      const late = checkFile(verifying, { subject, file, entry: right.at(-1) })
      if (file === undefined || late === undefined) continue
      // What came after the newest head waits for the next one.
      if (signedAt === undefined || Date.parse(file.state_at) > Date.parse(signedAt))
        pending.push(file)
      else verifying.findings.add(late, subject, { expected: 'an entry that says so' })
    }
  }
  if (pending.length > 0)
    verifying.notJudged.push(
      `${pending.length} files were stored or removed since the newest head and have no entry yet.`,
    )
}

/** Answers what the entry is missing of the file; everything else is a finding. */
function checkFile(
  { findings, checked }: Verifying,
  {
    subject,
    file,
    entry,
  }: { subject: string; file: LedgerFile | undefined; entry: ManifestRow | undefined },
): string | undefined {
  if (file === undefined) {
    if (entry?.kind === 'erasure') checked.erased++
    if (entry?.kind !== 'file') return undefined
    findings.add('entry_without_file', `${subject}, entry ${entry.seq}`, {
      expected: 'a file that is stored, or an entry of its removal',
      found: 'the ledger of files has none',
    })
    return undefined
  }
  if (entry === undefined) return 'file_without_entry'
  if (file.state === 'stored' && entry.kind !== 'file') return 'file_without_entry'
  // What the store's lock keeps of an erased file is entered as removed until it may go.
  if (entry.kind === 'erasure') {
    checked.erased++
    return undefined
  }
  if (file.state === 'removed' && entry.kind === 'file') return 'removal_without_entry'
  if (entry.salt === null) {
    checked.erased++
    return undefined
  }
  const said = readEntry(entry.line)
  const digest = file.sha256.toString('hex')
  const found = commitmentOf(entry.salt, digest)
  if (found !== said?.commitment || file.size !== said.size)
    findings.add('ledger_changed', `${subject}, entry ${entry.seq}`, {
      expected: `${said?.size ?? '?'} bytes of the commitment ${said?.commitment ?? '(unreadable)'}`,
      found: `${file.size} bytes of ${digest}, which is the commitment ${found}`,
    })
  return undefined
}

const FILE_KINDS = [
  { kind: 'activity', stream: 'whiteboard_activities' },
  { kind: 'recording', stream: 'recording_files' },
] as const
const ENTRY_KINDS = ['file', 'removal', 'erasure']
