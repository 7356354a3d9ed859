import { sha256Hex } from '../../evidence/log/digest.ts'
import { type EvidenceFinding, Findings } from '../../evidence/log/finding.ts'
import { type PublicKey, readPublicKey } from '../../evidence/log/signing-key.ts'
import type { WitnessPolicy } from '../../evidence/log/witness-policy.ts'
import { anchoredNotes, checkLocks } from './bundle-anchors.ts'
import { BundleContents } from './bundle-contents.ts'
import { type BundleFacts, readBundleFacts } from './bundle-format.ts'
import { type BundleLog, checkBundleLog, knownBreak, unjudgedSigner } from './bundle-log.ts'
import { type CheckingMembers, checkMembers } from './bundle-members.ts'
import { type BundleReader, onlyMembers } from './bundle-reader.ts'
import type { ProvenDays } from './bundle-slices.ts'
import { readSums, type Sums } from './bundle-sums.ts'
import { type BundleWitnesses, judgeBundleWitnesses } from './bundle-witnesses.ts'
import { type Platform } from './platform.ts'

export interface BundlePins {
  /** The required fingerprint of the key. */
  key?: string | undefined
  /** A state that was saved earlier and that the bundle's log must have passed through. */
  checkpoint?: string | undefined
  /** The required account of the bundle, because one key may sign for several accounts. */
  account?: string | undefined
  /** Witnesses that the person trusts, and how many of them must have cosigned. */
  witnesses?: WitnessPolicy | undefined
}

export interface VerifiedBundle {
  facts: BundleFacts | undefined
  findings: readonly EvidenceFinding[]
  findingCount: number
  notJudged: readonly string[]
  /** The fingerprint of the bundle's own key. */
  key: string | undefined
  /** The log state that the bundle's checkpoint signs. */
  checkpoint: string | undefined
  /** The days that the signed slices prove; undefined if the bundle has no rules for them. */
  days: ProvenDays | undefined
  /** Undefined if neither the person nor the bundle names witnesses. */
  witnesses: BundleWitnesses | undefined
  checked: { entries: number; records: number; files: number; erased: number }
}

/** Checks a bundle without a database, network or configuration. */
export async function checkBundle(
  whole: BundleReader,
  pins: BundlePins,
  platform: Platform,
): Promise<VerifiedBundle> {
  const findings = new Findings()
  const pem = (await whole.readPart('key.pem'))?.toString() ?? ''
  const key = readPublicKey(pem)
  const sums = await readSums(whole, { key, findings, platform })
  for (const name of REQUIRED)
    if (!whole.has(name) && !sums.digests.has(name))
      findings.add('member_missing', name, { found: 'not in the bundle' })
  // `readSums` reports members outside the signed sums. Reading one could take any time, so they are skipped.
  const bundle = onlyMembers(whole, sums.signed ? sums.digests : new Set<string>())
  const { facts, sizes } = await readFacts(bundle, sums, findings)
  const account = facts?.account ?? ''
  const state = facts?.checkpoint
  const log = await checkBundleLog(bundle, { findings, account, key, sums, state, platform })
  const { checkpoint } = log ?? {}
  const judging = { findings, checkpoint, named: pins.witnesses, platform }
  const { witnesses, notJudged: unnamed } = await judgeBundleWitnesses(bundle, judging)
  const contents = new BundleContents(account, log, findings)
  const checking = { bundle, findings, sums, contents, sizes, rules: facts?.slices, platform }
  await checkMembers(checking)
  contents.judgeMissing()
  const notes = await anchoredNotes(bundle, { findings, log })
  const untold = [
    ...(await platform.checkStamps(bundle, { findings, notes, contents })),
    ...(await checkLocks(bundle, { findings, notes })),
    ...unnamed,
    ...knownBreak(account, checkpoint),
  ]
  if (facts !== undefined) compareFacts(checking, facts, key)
  const notJudged = [
    ...(sums.signed ? judgeAccount(findings, pins, facts) : [NOTHING_READ]),
    ...judgePins(findings, pins, { key, log: sums.signed ? log : undefined }),
    ...untold,
    ...contents.notJudged,
  ]
  const { entries, records, files, erased } = contents
  return {
    facts,
    findings: findings.kept,
    findingCount: findings.total,
    notJudged,
    key: key?.fingerprint,
    checkpoint: log?.state,
    days: facts && contents.daysOf(facts),
    witnesses,
    checked: { entries, records, files, erased },
  }
}

/** The bundle's own facts; sizes are used only if the signed sums confirm them. */
async function readFacts(
  bundle: BundleReader,
  { digests, signed }: Sums,
  findings: Findings,
): Promise<{ facts: BundleFacts | undefined; sizes: BundleFacts['sizes'] | undefined }> {
  const bytes = (await bundle.readPart('bundle.json')) ?? Buffer.alloc(0)
  const facts = readBundleFacts(bytes.toString())
  if (facts === undefined && signed) findings.add('facts_unreadable', 'bundle.json')
  const confirmed = digests.get('bundle.json') === sha256Hex(bytes)
  return { facts, sizes: confirmed ? facts?.sizes : undefined }
}

function compareFacts(
  { contents, findings }: Pick<CheckingMembers, 'contents' | 'findings'>,
  facts: BundleFacts,
  key: PublicKey | undefined,
): void {
  for (const name of ['entries', 'records', 'files'] as const)
    if (facts[name] !== contents[name])
      findings.add('count_wrong', name, {
        expected: `${facts[name]}, according to bundle.json`,
        found: String(contents[name]),
      })
  if (key !== undefined && facts.key !== key.fingerprint)
    findings.add('key_exchanged', 'key.pem', { expected: facts.key, found: key.fingerprint })
}

function judgePins(
  findings: Findings,
  pins: BundlePins,
  { key, log }: { key: PublicKey | undefined; log: BundleLog | undefined },
): string[] {
  const notJudged: string[] = []
  if (pins.key === undefined)
    notJudged.push(`Whether the key was replaced and everything was signed again: ${NAME_KEY}`)
  else if (pins.key !== key?.fingerprint)
    findings.add('key_exchanged', 'key.pem', {
      expected: pins.key,
      found: key?.fingerprint ?? 'no valid Ed25519 key',
    })
  if (log === undefined) return notJudged
  const { checkpoint: pinned } = pins
  if (pinned === undefined)
    notJudged.push(`Whether this is a bundle of an older state (a rollback): ${NAME_CHECKPOINT}`)
  else if (!log.has(pinned))
    findings.add('rolled_back', `the checkpoint ${pinned}`, {
      expected: 'a state of this log',
      found: `the log has no such state; the newest state is ${log.state}`,
    })
  return [...notJudged, ...unjudgedSigner(log, { key: key?.fingerprint, pinned })]
}

/** Compares the account with the pinned one. Without a pin, returns the question whether it is right. */
function judgeAccount(
  findings: Findings,
  pins: BundlePins,
  facts: BundleFacts | undefined,
): string[] {
  const account = facts?.account ?? '(unreadable)'
  if (pins.account === undefined)
    // A log belongs to one account, so a saved checkpoint identifies the account too.
    return pins.checkpoint === undefined
      ? [`Whether ${account} is the right account: ${NAME_ACCOUNT}`]
      : []
  if (pins.account !== account)
    findings.add('other_account', 'bundle.json', { expected: pins.account, found: account })
  return []
}

const NOTHING_READ =
  'Anything in the bundle: without a valid signature over SHA256SUMS, no other part is read.'
const NAME_ACCOUNT =
  'one key may sign for several accounts. Enter the account that you expect (--account NAME).'
const NAME_KEY = 'enter the fingerprint that you received (--key FINGERPRINT).'
const NAME_CHECKPOINT = 'enter the newest checkpoint that you saved (--checkpoint SIZE:ROOT).'
const REQUIRED = (
  'README.txt bundle.json key.pem checkpoint checkpoint.vkey older.ndjson manifest.ndjson files.ndjson ' +
  'SHA256SUMS SHA256SUMS.sig'
).split(' ')
