import type { BundleFacts } from '../proof/bundle-format.ts'
import type { Anchors } from './check-steps.ts'

interface Told {
  anchors: Anchors
  problems: readonly string[]
}

/** Explains a bundle to its recipient on one page that takes two minutes to read. */
export function bundleReadme(
  facts: Omit<BundleFacts, 'records' | 'files'>,
  { anchors, problems }: Told,
): string {
  const { account, from, to, whiteboard, user } = facts
  const only = [
    whiteboard === null ? '' : `, whiteboard ${whiteboard} only`,
    user === null ? '' : ', one user only (see bundle.json)',
  ].join('')
  return `Archived whiteboard activity of account ${account}
from ${from} until before ${to}${only}
exported ${facts.exported_at}, under the checkpoint
  ${facts.checkpoint}
${caseLines(facts)}${problemLines(problems).join('')}
WHAT IT IS
  What the service held of these days, as Callsheet read it: records as they came (records/), archived files
  (files/, listed in files.ndjson), and a workbook made from them (*.xlsx), if there is one. When a record
  or file came in, an entry was made in a log (manifest.ndjson, slices.ndjson), and the log was signed.

HOW TO CHECK IT
  1. Ask whoever keeps the archive for the fingerprint of their key, by another way than this file. It must be
       ${facts.key}
     Ask for the newest checkpoint that they noted or gave to anybody, too.
  2. Open verify.html in a browser, choose the zip file, and enter both. It works without a network. In doubt
     take verify.html from elsewhere: whoever made this bundle made the page in it.
  Or by program:  callsheet verify --bundle FILE.zip --key FINGERPRINT [--checkpoint SIZE:ROOT]
  Or with openssl and sha256sum alone: CHECK.txt has the steps.

WHAT TO CONCLUDE
  "Nothing was altered": each record and file is, byte for byte, the one that was entered when it came in,
  and no entry that is here was changed since. On the days that are "proven read", all that the service
  listed was read to its end. What was erased or removed has an entry that says so.
  Findings: do not rely on what they name, and ask for another copy.
  "What was not judged" tells which questions are open, and what would answer them.

WHAT IT DOES NOT PROVE
  - That the service told the truth, or all. The archive holds what the service gave.
  - That whoever holds the key did not make all of it at once. A checkpoint that was noted before, a time
    stamp, a witness or a locked bucket shows since when it stands.${anchorWords(anchors)}
  - That the workbook says what the records say. The records are the evidence.
  - That nothing came later. It is the state of the time at which it was exported.
  - Who somebody was: a name or an address in it is what the service gave.
`
}

/** Names the anchors that this bundle has. */
function anchorWords({ stamp, lock }: Anchors): string {
  const found = [
    ...(stamp === undefined ? [] : ['time stamps']),
    ...(lock === undefined ? [] : ['a locked bucket']),
  ]
  return found.length === 0 ? '' : ` CHECK.txt tells how to ask ${found.join(' and ')}.`
}

function caseLines({ case: told }: Pick<BundleFacts, 'case'>): string {
  if (told === undefined) return ''
  const { name, reason, held_until: until, exported_by: by } = told
  const held = until === null ? 'until somebody releases it' : `until before ${until}`
  return `for the case “${name}”: ${reason}
exported by ${by}; what it is of is held ${held}
`
}

function problemLines(problems: readonly string[]): string[] {
  if (problems.length === 0) return []
  const more = problems.length - MOST_PROBLEMS
  return [
    '\nNOT AS IT SHOULD BE, as was found when this was made\n',
    ...problems.slice(0, MOST_PROBLEMS).map((problem) => `  - ${problem}\n`),
    ...(more > 0 ? [`  - and ${more} more\n`] : []),
  ]
}

/** Keeps the page short, even if much is wrong with the store. */
const MOST_PROBLEMS = 20
