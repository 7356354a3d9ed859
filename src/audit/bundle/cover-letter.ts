import type { PlacedFile } from '../../report/put-in-place.ts'
import type { ExportedAudit } from './exporting.ts'

/**
 * Writes the letter that goes with a bundle: the matter, whose data it is, who exported it and when, how to
 * recognize the file, and what the export found. The letter is a separate file, because it contains the
 * bundle's hash.
 */
export function coverLetter(
  { facts, problems }: Pick<ExportedAudit, 'facts' | 'problems'>,
  { by, bundle, name }: { by: string; bundle: Pick<PlacedFile, 'bytes' | 'sha256'>; name: string },
): string {
  const { account, from, to, case: matter } = facts
  const only = [
    facts.whiteboard === null ? '' : `, only whiteboard ${facts.whiteboard}`,
    facts.user === null ? '' : ', only one user (see bundle.json in the file)',
  ].join('')
  const until = matter?.held_until ?? 'somebody releases it'
  const held = matter === undefined ? [] : [`Legal hold   until ${until}`]
  return `${[
    'Archived whiteboard activity: cover letter',
    '',
    `Matter       ${matter === undefined ? 'none given' : `${matter.name}: ${matter.reason}`}`,
    ...held,
    `Custodian    account ${account}${only}`,
    `Period       from ${from} to ${to} (not included)`,
    `Exported     ${facts.exported_at} by ${by}`,
    `File         ${name}, ${bundle.bytes} bytes`,
    `SHA-256      ${bundle.sha256}`,
    `Contents     ${facts.entries} log entries, ${facts.records} records, ${facts.files} files`,
    `Checkpoint   ${facts.checkpoint}`,
    `Key          ${facts.key}`,
    '',
    'Conclusion',
    ...(problems.length === 0
      ? [
          '  The export found no problem: it contains what was logged for this period and custodian. The',
          '  workbook and verify.html in it tell which days were read to their end.',
        ]
      : [
          `  The export found problems (${problems.length}), so do not rely on it before they are explained:`,
          ...problems.slice(0, MOST_PROBLEMS).map((problem) => `  - ${problem}`),
          ...(problems.length > MOST_PROBLEMS ? ['  - and more; see README.txt in the file'] : []),
        ]),
    '  The export checks the stored data, not itself: verify the file as README.txt in it describes, with',
    '  a key fingerprint that you received in another way than this letter.',
  ].join('\n')}\n`
}

const MOST_PROBLEMS = 5
