import { createHash, type Hash } from 'node:crypto'
import { isDigest, sha256Hex } from '../../evidence/log/digest.ts'
import { parsed, subjectPart } from '../../evidence/log/entry.ts'
import type { Findings } from '../../evidence/log/finding.ts'
import type { BundleContents } from './bundle-contents.ts'
import { type BundleFacts, type MemberKind, memberKind } from './bundle-format.ts'
import { type BundleReader, SMALL_BYTES } from './bundle-reader.ts'
import type { Sums } from './bundle-sums.ts'
import type { Platform } from './platform.ts'

export interface CheckingMembers {
  /** Contains only the members named by the signed sums. */
  bundle: BundleReader
  findings: Findings
  sums: Sums
  contents: BundleContents
  /** The sizes in the signed facts; undefined if no signed sum confirms them. */
  sizes: BundleFacts['sizes'] | undefined
  /** The rules by which slices prove days. */
  rules: BundleFacts['slices']
  platform: Pick<Platform, 'digestOf'>
}

/** Reads each member once, the manifest first, because its entries determine the contents of the others. */
export async function checkMembers(checking: CheckingMembers): Promise<void> {
  const { bundle, findings, sums } = checking
  const rest = [...bundle.names()].filter((name) => name !== MANIFEST)
  for (const name of bundle.has(MANIFEST) ? [MANIFEST, ...rest] : rest) {
    if (memberKind(name) === 'other')
      findings.add('member_extra', name, { expected: 'only members that belong to a bundle' })
    const digest = await checkMember(checking, name)
    const expected = sums.digests.get(name)
    if (digest !== undefined && expected !== undefined && digest !== expected)
      findings.add('member_changed', name, { expected, found: digest })
  }
}

/** Returns the member's digest; undefined, with a finding, if it was unreadable or larger than allowed. */
async function checkMember(checking: CheckingMembers, name: string): Promise<string | undefined> {
  const { bundle, findings, platform } = checking
  const kind = memberKind(name)
  const most = mostBytes(checking, name, kind) ?? Number.POSITIVE_INFINITY
  // Reports the size before all other findings about the member, because the list of findings is bounded.
  const tooLarge = isTooLarge(checking, name, most)
  let digest: string | undefined
  try {
    if (kind === 'file' && !tooLarge)
      digest = await platform.digestOf(bundle.read(name), bundle.size(name))
    else {
      const hash = createHash('sha256')
      const pieces = hashed(hash, most, bundle.read(name))
      await lookInto(checking, { name, kind }, pieces)
      // Hashes the rest of a member that is not read line by line, or not to its last line.
      for await (const piece of pieces) void piece
      digest = tooLarge ? undefined : hash.digest('hex')
    }
  } catch (error) {
    findings.add('member_unreadable', name, { found: (error as Error).message })
    return undefined
  }
  if (kind === 'file') checkFile(checking, name, digest)
  if (kind === 'record' && digest !== undefined)
    checking.contents.foundRecord(digest, name, { forAll: true })
  return digest
}

/** Hashes pieces and passes them on. Stops after `most` bytes, even if the member claims to have more. */
async function* hashed(
  hash: Hash,
  most: number,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  let left = most
  for await (const piece of pieces) {
    const read = piece.length > left ? piece.subarray(0, left) : piece
    hash.update(read)
    yield read
    left -= piece.length
    if (left < 0) return undefined
  }
  return undefined
}

async function lookInto(
  { contents, findings, bundle, rules }: CheckingMembers,
  { name, kind }: { name: string; kind: MemberKind },
  pieces: AsyncGenerator<Uint8Array>,
): Promise<void> {
  let line = 0
  let before = ''
  const lines = worthReading(linesOf(pieces), findings)
  if (name === 'manifest.ndjson') for await (const text of lines) contents.addLine(text.toString())
  else if (kind === 'records') {
    const [, stream = ''] = /^records\/([a-z_]+)\./.exec(name) ?? []
    for await (const text of lines) {
      contents.foundRecord(sha256Hex(text), `${name}, line ${++line}`)
      contents.addSession(text.toString(), stream, rules)
    }
  } else if (name === 'slices.ndjson')
    for await (const text of lines) contents.addSlices(text.toString(), `${name}, line ${++line}`)
  else if (name === 'older.ndjson')
    for await (const text of lines) contents.addOlder(text.toString(), `${name}, line ${++line}`)
  else if (name === 'files.ndjson')
    for await (const text of lines) {
      const place = `${name}, line ${++line}`
      const row = parsed(text.toString()) as IndexRow | undefined
      const { session, activity } = row ?? {}
      const named = typeof session === 'string' && typeof activity === 'string'
      const file = named ? `${session}/${activity}` : ''
      if (row === undefined || !named || file === before) {
        findings.add('index_wrong', place, {
          expected: 'a session and an activity, each file once',
        })
        continue
      }
      before = file
      if (row.state !== 'stored') continue
      const digest = isDigest(row.sha256) ? row.sha256 : ''
      const subject = `${ACTIVITIES}/${[session, activity].map(subjectPart).join('/')}`
      const expected = `the file of ${subject}`
      if (!contents.promisesFile(digest, subject))
        findings.add('index_wrong', place, { expected, found: digest || 'no valid digest' })
      else if (!bundle.has(`files/${digest}`))
        findings.add('index_wrong', place, { expected, found: `no file ${digest} in the bundle` })
    }
}

interface IndexRow {
  session?: unknown
  activity?: unknown
  state?: unknown
  sha256?: unknown
}

function checkFile(
  { contents, findings }: CheckingMembers,
  name: string,
  digest: string | undefined,
): void {
  const called = name.slice('files/'.length)
  if (digest === called) return contents.foundFile(digest, name)
  const subject = contents.subjectOfFile(called)
  findings.add('file_changed', subject === undefined ? name : `${name}, of ${subject}`, {
    expected: called,
    found: digest ?? 'more bytes than its entry says',
  })
  // Counts a changed file as found, so that it is not reported as missing too.
  if (contents.promisesFile(called)) contents.foundFile(called, name)
}

function isTooLarge(
  { bundle, findings, sizes }: CheckingMembers,
  name: string,
  most: number,
): boolean {
  const bytes = bundle.size(name)
  if (bytes <= most) return false
  findings.add('member_changed', name, {
    expected: `at most ${most} bytes${sizes?.[name] === undefined ? '' : ', as signed'}`,
    found: `${bytes} bytes`,
  })
  return true
}

function mostBytes(
  { sizes, contents }: CheckingMembers,
  name: string,
  kind: MemberKind,
): number | undefined {
  const signed = sizes?.[name]
  if (signed !== undefined) return signed
  if (SMALL.has(kind)) return SMALL_BYTES
  return kind === 'other' || kind === 'fixed' ? undefined : contents.bytesOf(name)
}

/** Passes lines on; throws after `MOST_WRONG` findings, since a forged member may have millions of lines. */
async function* worthReading(
  lines: AsyncGenerator<Buffer>,
  findings: Findings,
): AsyncGenerator<Buffer> {
  const before = findings.total
  for await (const line of lines) {
    if (findings.total - before > MOST_WRONG)
      throw new Error(`more than ${MOST_WRONG} findings in this member; the rest was not read`)
    yield line
  }
}

/** Splits text pieces into lines, without line ends. Throws if a line is longer than `MOST_BYTES`. */
export async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, undefined> {
  let rest: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    let from = 0
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, bytes.subarray(from, at)])
      rest = []
      length = 0
      from = at + 1
    }
    length += bytes.length - from
    if (length > MOST_BYTES) throw new Error('a line is longer than any line of a bundle')
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)))
  }
  if (length > 0) yield Buffer.concat(rest)
  return undefined
}

const SMALL: ReadonlySet<MemberKind> = new Set(['log', 'anchor'])
/** The stream whose files the index lists. */
const ACTIVITIES = 'whiteboard_activities'
const MANIFEST = 'manifest.ndjson'
const MOST_WRONG = 2_000
const NEWLINE = 10
const MOST_BYTES = 2 ** 27
