import { createHash } from 'node:crypto'
import { checkAnchor, unaskedAnchors } from './bundle-anchors.ts'
import { BundleContents } from './bundle-contents.ts'
import { type BundleFacts, memberKind, readBundleFacts } from './bundle-format.ts'
import { checkBundleHeads } from './bundle-heads.ts'
import { type BundleReader, readBundle } from './bundle-reader.ts'
import { readSums, type Sums } from './bundle-sums.ts'
import { isDigest, sha256Hex } from './digest.ts'
import { parsed } from './entry.ts'
import { type EvidenceFinding, Findings } from './finding.ts'
import { type CheckedHead, unjudgedKey } from './head-chain.ts'
import { linesOf } from './lines.ts'
import { type PublicKey, readPublicKey } from './signing-key.ts'

export interface BundlePins {
  /** The fingerprint that the key must have. */
  key?: string | undefined
  /** The hash of a head that was noted before, which must be among the bundle's. */
  head?: string | undefined
  /** The account that it must be of: one key may sign for several. */
  account?: string | undefined
}

export interface VerifiedBundle {
  facts: BundleFacts | undefined
  findings: readonly EvidenceFinding[]
  findingCount: number
  notJudged: readonly string[]
  /** The fingerprint of the bundle's own key. */
  key: string | undefined
  head: { number: number; hash: string; at: string } | undefined
  checked: { entries: number; records: number; files: number; erased: number; heads: number }
}

/**
 * Checks a bundle by itself: without a database, the network or a configuration, member by member as a
 * stream. Throws where the file is no bundle at all.
 */
export async function verifyBundle(path: string, pins: BundlePins = {}): Promise<VerifiedBundle> {
  const bundle = await readBundle(path)
  try {
    return await verify(bundle, pins)
  } finally {
    bundle.close()
  }
}

interface Checking {
  bundle: BundleReader
  findings: Findings
  sums: Sums
  contents: BundleContents
}

async function verify(bundle: BundleReader, pins: BundlePins): Promise<VerifiedBundle> {
  const findings = new Findings()
  for (const name of REQUIRED)
    if (!bundle.has(name)) findings.add('member_missing', name, { found: 'no such member' })
  const pem = (await bundle.readPart('key.pem'))?.toString() ?? ''
  const key = readPublicKey(pem)
  const sums = await readSums(bundle, key, findings)
  const facts = readBundleFacts((await bundle.readPart('bundle.json'))?.toString() ?? '')
  if (facts === undefined) findings.add('facts_unreadable', 'bundle.json')
  const account = facts?.account ?? ''
  const heads = await checkBundleHeads(bundle, { findings, account, key, sums })
  const contents = new BundleContents(account, heads, findings)
  const checking = { bundle, findings, sums, contents }
  await checkMembers(checking)
  contents.judgeMissing()
  if (facts !== undefined) compareFacts(checking, facts, { key, heads })
  const notJudged = [
    ...judgeAccount(findings, pins, facts),
    ...judgePins(findings, pins, { key, heads }),
    ...unaskedAnchors(bundle),
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
    checked: { entries, records, files, erased, heads: heads.length },
  }
}

/** Each member once, the manifest first: it promises what the others must hold. */
async function checkMembers(checking: Checking): Promise<void> {
  const rest = [...checking.bundle.names()].filter((name) => name !== 'manifest.ndjson')
  for (const name of ['manifest.ndjson', ...rest]) {
    const { findings, sums } = checking
    if (memberKind(name) === 'other')
      findings.add('member_extra', name, { expected: 'only names that a bundle has' })
    const digest = await checkMember(checking, name)
    const expected = sums.digests.get(name)
    if (digest !== undefined && expected !== undefined && digest !== expected)
      findings.add('member_changed', name, { expected, found: digest })
  }
}

/** The digest of the member; undefined where it cannot be unpacked, which is a finding. */
async function checkMember(checking: Checking, name: string): Promise<string | undefined> {
  const { bundle, findings } = checking
  const hash = createHash('sha256')
  const pieces = (async function* () {
    for await (const piece of bundle.read(name)) {
      hash.update(piece)
      yield piece
    }
  })()
  try {
    await lookInto(checking, name, pieces)
    // What was not looked into is hashed all the same.
    for await (const piece of pieces) void piece
  } catch (error) {
    findings.add('member_unreadable', name, { found: (error as Error).message })
    return undefined
  }
  const digest = hash.digest('hex')
  if (memberKind(name) === 'file') judgeFile(checking, name, digest)
  if (memberKind(name) === 'record') checking.contents.foundRecord(digest, name, { forAll: true })
  return digest
}

async function lookInto(
  { contents, findings, bundle }: Checking,
  name: string,
  pieces: AsyncGenerator<Uint8Array>,
): Promise<void> {
  let line = 0
  if (name === 'manifest.ndjson')
    for await (const text of linesOf(pieces)) contents.addLine(text.toString())
  else if (memberKind(name) === 'records')
    for await (const text of linesOf(pieces))
      contents.foundRecord(sha256Hex(text), `${name}, line ${++line}`)
  else if (name === 'files.ndjson')
    for await (const text of linesOf(pieces)) {
      const place = `${name}, line ${++line}`
      const row = parsed(text.toString()) as { state?: string; sha256?: unknown } | undefined
      if (row?.state !== 'stored') continue
      const digest = isDigest(row.sha256) ? row.sha256 : ''
      if (!contents.promisesFile(digest) || !bundle.has(`files/${digest}`))
        findings.add('index_wrong', place, { expected: 'a file of the bundle', found: digest })
    }
  else if (memberKind(name) === 'anchor') await checkAnchor(bundle, findings, name)
}

function judgeFile({ contents, findings }: Checking, name: string, digest: string): void {
  const called = name.slice('files/'.length)
  if (digest === called) return contents.foundFile(digest, name)
  const subject = contents.subjectOfFile(called)
  findings.add('file_changed', subject === undefined ? name : `${name}, of ${subject}`, {
    expected: called,
    found: digest,
  })
  // It is there, if changed: not missing as well.
  if (contents.promisesFile(called)) contents.foundFile(called, name)
}

function compareFacts(
  { contents, findings }: Checking,
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
  { key, heads }: { key: PublicKey | undefined; heads: readonly CheckedHead[] },
): string[] {
  const notJudged: string[] = []
  if (pins.key === undefined)
    notJudged.push(`Whether the key was exchanged, and all signed anew: ${NAME_KEY}`)
  else if (pins.key !== key?.fingerprint)
    findings.add('key_exchanged', 'key.pem', {
      expected: pins.key,
      found: key?.fingerprint ?? 'no Ed25519 key',
    })
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

/** The heads were held to the account that the bundle names; whether that one is meant only a pin tells. */
function judgeAccount(
  findings: Findings,
  pins: BundlePins,
  facts: BundleFacts | undefined,
): string[] {
  const account = facts?.account ?? '(unreadable)'
  if (pins.account === undefined)
    // A head is one account's, so one that was noted tells the account as well.
    return pins.head === undefined
      ? [`Whether account ${account} is the one meant: ${NAME_ACCOUNT}`]
      : []
  if (pins.account !== account)
    findings.add('other_account', 'bundle.json', { expected: pins.account, found: account })
  return []
}

const NAME_ACCOUNT = 'name it, --account NAME; one key may sign for several accounts.'
const NAME_KEY = 'name the fingerprint that you were told, --key FINGERPRINT.'
const NAME_HEAD = 'name the newest head that you noted, --head HASH.'
const REQUIRED =
  'README.txt bundle.json key.pem manifest.ndjson files.ndjson SHA256SUMS SHA256SUMS.sig'.split(' ')
