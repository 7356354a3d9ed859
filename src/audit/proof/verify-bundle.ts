import { sha256Hex } from '../../evidence/log/digest.ts'
import { type EvidenceFinding, Findings } from '../../evidence/log/finding.ts'
import { type CheckedHead, knownBreaks, unjudgedKey } from '../../evidence/log/head-chain.ts'
import { type PublicKey, readPublicKey } from '../../evidence/log/signing-key.ts'
import type { WitnessPolicy } from '../../evidence/log/witness-policy.ts'
import { unaskedLocks } from './bundle-anchors.ts'
import { BundleContents } from './bundle-contents.ts'
import { type BundleFacts, readBundleFacts } from './bundle-format.ts'
import { type CheckingHeads, checkBundleHeads } from './bundle-heads.ts'
import { checkBundleLog } from './bundle-log.ts'
import { type CheckingMembers, checkMembers } from './bundle-members.ts'
import { type BundleReader, onlyMembers } from './bundle-reader.ts'
import type { ProvenDays } from './bundle-slices.ts'
import { readSums, type Sums } from './bundle-sums.ts'
import { type BundleWitnesses, judgeBundleWitnesses } from './bundle-witnesses.ts'
import { type Platform } from './platform.ts'

export interface BundlePins {
  /** The fingerprint that the key must have. */
  key?: string | undefined
  /** The hash of a head that was noted earlier; it must be among the bundle's heads. */
  head?: string | undefined
  /** The account that the bundle must be of: one key may sign for several. */
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
  head: { number: number; hash: string; at: string } | undefined
  /** The days that the signed slices prove; undefined where the bundle does not say how. */
  days: ProvenDays | undefined
  /** Undefined where nobody named witnesses and the bundle tells of none. */
  witnesses: BundleWitnesses | undefined
  checked: { entries: number; records: number; files: number; erased: number; heads: number }
}

/** Checks a bundle on its own, without a database, the network or a configuration. */
export async function checkBundle(
  whole: BundleReader,
  pins: BundlePins,
  platform: Platform,
): Promise<VerifiedBundle> {
  const findings = new Findings()
  for (const name of REQUIRED)
    if (!whole.has(name)) findings.add('member_missing', name, { found: 'no such member' })
  const pem = (await whole.readPart('key.pem'))?.toString() ?? ''
  const key = readPublicKey(pem)
  const sums = await readSums(whole, { key, findings, platform })
  // A member outside the signed sums may be anything and take any time. It is reported and not read.
  const bundle = onlyMembers(whole, sums.signed ? sums.digests : new Set<string>())
  const { facts, sizes } = await readFacts(bundle, sums, findings)
  const account = facts?.account ?? ''
  const signing = { findings, account, key, sums, platform, named: pins.witnesses }
  const { heads, log, witnesses, untold } = await checkLog(bundle, signing)
  const contents = new BundleContents(account, { heads, log }, findings)
  const checking = { bundle, findings, sums, contents, sizes, rules: facts?.slices, platform }
  await checkMembers(checking)
  contents.judgeMissing()
  if (facts !== undefined) compareFacts(checking, facts, { key, heads })
  const notJudged = [
    ...(sums.signed ? judgeAccount(findings, pins, facts) : [NOTHING_READ]),
    ...judgePins(findings, pins, { key, heads: sums.signed ? heads : undefined }),
    ...untold,
    ...contents.notJudged,
  ]
  const last = heads.at(-1)
  const { entries, records, files, erased } = contents
  return {
    facts,
    findings: findings.kept,
    findingCount: findings.total,
    notJudged,
    key: key?.fingerprint,
    head: last && { number: last.number, hash: last.hash, at: last.at },
    days: facts && contents.daysOf(facts),
    witnesses,
    checked: { entries, records, files, erased, heads: heads.length },
  }
}

/** What all entries stand under: the heads, the checkpoint of the newest, and what others say of them. */
async function checkLog(
  bundle: BundleReader,
  { named, ...checking }: CheckingHeads & { platform: Platform; named: WitnessPolicy | undefined },
) {
  const { findings, account, platform } = checking
  const { heads, breaks, keys } = await checkBundleHeads(bundle, checking)
  const stamps = await platform.checkStamps(bundle, { findings, heads })
  const head = heads.at(-1)
  const own = { findings, account, keys, head, breaks, platform }
  const log = await checkBundleLog(bundle, own)
  const { checkpoint } = log ?? {}
  const judging = { findings, checkpoint, named, platform }
  const { witnesses, notJudged } = await judgeBundleWitnesses(bundle, judging)
  const untold = [...stamps, ...unaskedLocks(bundle), ...notJudged, ...knownBreaks(breaks)]
  return { heads, log, witnesses, untold }
}

/** What the bundle states about itself; of the sizes only those confirmed by the signed sums are used. */
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
  { key, heads }: { key: PublicKey | undefined; heads: readonly CheckedHead[] },
): void {
  for (const name of ['entries', 'records', 'files'] as const)
    if (facts[name] !== contents[name])
      findings.add('count_wrong', name, {
        expected: `${facts[name]}, as bundle.json says`,
        found: String(contents[name]),
      })
  const last = heads.at(-1)?.hash ?? 'none'
  if (facts.head !== last)
    findings.add('heads_cut', 'the newest head', { expected: facts.head, found: last })
  if (key !== undefined && facts.key !== key.fingerprint)
    findings.add('key_exchanged', 'key.pem', { expected: facts.key, found: key.fingerprint })
}

function judgePins(
  findings: Findings,
  pins: BundlePins,
  { key, heads }: { key: PublicKey | undefined; heads: readonly CheckedHead[] | undefined },
): string[] {
  const notJudged: string[] = []
  if (pins.key === undefined)
    notJudged.push(`Whether the key was exchanged, and all signed anew: ${NAME_KEY}`)
  else if (pins.key !== key?.fingerprint)
    findings.add('key_exchanged', 'key.pem', {
      expected: pins.key,
      found: key?.fingerprint ?? 'no Ed25519 key',
    })
  if (heads === undefined) return notJudged
  const last = heads.at(-1)
  if (pins.head === undefined)
    notJudged.push(`Whether this is a bundle of an older state, a rollback: ${NAME_HEAD}`)
  else if (!heads.some(({ hash }) => hash === pins.head))
    findings.add('rolled_back', `head ${pins.head}`, {
      expected: 'to be among the heads',
      found: `the newest is ${last?.hash ?? 'none'}`,
    })
  const keys = key === undefined ? [] : [key.fingerprint]
  return [...notJudged, ...unjudgedKey(heads, { keys, head: pins.head })]
}

/** The heads match the bundle's account; only a pin can show that this account is the wanted one. */
function judgeAccount(
  findings: Findings,
  pins: BundlePins,
  facts: BundleFacts | undefined,
): string[] {
  const account = facts?.account ?? '(unreadable)'
  if (pins.account === undefined)
    // A head belongs to one account, so a noted head shows the account too.
    return pins.head === undefined
      ? [`Whether account ${account} is the one meant: ${NAME_ACCOUNT}`]
      : []
  if (pins.account !== account)
    findings.add('other_account', 'bundle.json', { expected: pins.account, found: account })
  return []
}

const NOTHING_READ =
  'Anything in it: what the signed sums do not name is not read, and these are not signed.'
const NAME_ACCOUNT = 'name it, --account NAME; one key may sign for several accounts.'
const NAME_KEY = 'name the fingerprint that you were told, --key FINGERPRINT.'
const NAME_HEAD = 'name the newest head that you noted, --head HASH.'
const REQUIRED =
  'README.txt bundle.json key.pem manifest.ndjson files.ndjson SHA256SUMS SHA256SUMS.sig'.split(' ')
