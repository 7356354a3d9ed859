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
    whiteboard === null ? '' : `, only whiteboard ${whiteboard}`,
    user === null ? '' : ', only one user (see bundle.json)',
  ].join('')
  return `Archived whiteboard activity of account ${account}
from ${from} to ${to} (not included)${only}
exported ${facts.exported_at}, covered by the checkpoint
  ${facts.checkpoint}
${caseLines(facts)}${problemLines(problems).join('')}
WHAT IT IS
  What the service returned for these days, as Callsheet stored it: the records as received (records/), the
  archived files (files/, listed in files.ndjson), and a workbook made from them (*.xlsx), if there is one.
  Callsheet logged each record and file when it arrived (manifest.ndjson, slices.ndjson) and signed the log.

HOW TO CHECK IT
  1. Ask the operator of the archive for the fingerprint of their key, through another channel than this
     bundle. It must be
       ${facts.key}
     Also ask for the newest checkpoint (SIZE:ROOT) that they saved or gave to anybody.
  2. Open verify.html in a browser, choose the ZIP file, and enter both. The page works offline. If in doubt,
     get verify.html from somebody you trust: whoever made this bundle also made the page in it.
  Or run:  callsheet verify --bundle FILE.zip --key FINGERPRINT [--checkpoint SIZE:ROOT]
  Or follow the steps in CHECK.txt, which need only common tools such as openssl and sha256sum.

WHAT TO CONCLUDE
  "Nothing was altered": each record and file is, byte for byte, the one that was logged when it arrived, and
  no log entry in this bundle was changed. On days that are "proven read", everything that the service listed
  was read to its end. Everything that was erased or removed has an entry that says so.
  Findings: do not rely on the items that they name. Ask for another copy.
  "Not checked" lists the questions that remain open, and how to answer them.

WHAT IT DOES NOT PROVE
  - That the service's data is true or complete. The archive holds what the service returned.
  - That the holder of the key did not make all of it at once. A checkpoint that you saved earlier, a time
    stamp, a witness or a locked bucket shows since when the log exists.${anchorWords(anchors)}
  - That the workbook agrees with the records. The records are the evidence.
  - That this is the newest state. It is the state at the time of the export.
  - Who a person was. Names and addresses are what the service returned.
`
}

/** A sentence about the anchors that this bundle has; empty if it has none. */
function anchorWords({ stamp, lock }: Anchors): string {
  const found = [
    ...(stamp === undefined ? [] : ['the time stamps']),
    ...(lock === undefined ? [] : ['the locked bucket']),
  ]
  return found.length === 0 ? '' : ` CHECK.txt shows how to check ${found.join(' and ')}.`
}

function caseLines({ case: told }: Pick<BundleFacts, 'case'>): string {
  if (told === undefined) return ''
  const { name, reason, held_until: until, exported_by: by } = told
  const held = until === null ? 'until somebody releases it' : `until ${until}`
  return `for the case “${name}”: ${reason}
exported by ${by}; its files are on legal hold ${held}
`
}

function problemLines(problems: readonly string[]): string[] {
  if (problems.length === 0) return []
  const more = problems.length - MOST_PROBLEMS
  return [
    '\nPROBLEMS FOUND DURING THE EXPORT\n',
    ...problems.slice(0, MOST_PROBLEMS).map((problem) => `  - ${problem}\n`),
    ...(more > 0 ? [`  - and ${more} more\n`] : []),
  ]
}

/** The number of problems listed, which keeps the page short even if much is wrong with the store. */
const MOST_PROBLEMS = 20
