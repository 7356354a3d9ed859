import { hashOfBase64 } from '../../evidence/log/base64.ts'
import { readState } from '../../evidence/log/checkpoint.ts'
import { isDigest } from '../../evidence/log/digest.ts'
import { type Entry, isCount, nameOfSubject, parsed } from '../../evidence/log/entry.ts'
import type { SliceRules } from './bundle-slices.ts'

/** The facts in `bundle.json` about the whole bundle. */
export interface BundleFacts {
  v: 1
  account: string
  from: string
  to: string
  whiteboard: string | null
  user: string | null
  exported_at: string
  /** The case for which the bundle was exported. A hold with the case's name protects the files. */
  case?: BundleCase
  /** The log state that the bundle's checkpoint signs, as size and root. */
  checkpoint: string
  /** The fingerprint of `key.pem`. */
  key: string
  /** The number of lines in `manifest.ndjson`. */
  entries: number
  /** The number of records in the members under `records/`. */
  records: number
  /** The number of members under `files/`. */
  files: number
  /** The bytes of each member whose size neither an entry nor its kind bounds. */
  sizes: Readonly<Record<string, number>>
  /** The rules by which `slices.ndjson` proves days. */
  slices?: SliceRules
}

/** The reason for a bundle, as stated by the person who exported it. */
export interface BundleCase {
  name: string
  /** The reason of the hold, and who requested it. */
  reason: string
  /** The instant at which the case's hold ends; null if it ends only when a person releases it. */
  held_until: string | null
  exported_by: string
}

/** A line of `manifest.ndjson`: an entry, and the proof that it is in the log of the checkpoint. */
export interface ManifestLine {
  /** The entry's own line, byte for byte. */
  entry: string
  /** In hex; null in an erasure's line, if `unsigned` is set, or if the salt was erased or is missing. */
  salt: string | null
  /** The subject in clear, if the entry contains only a commitment to it. */
  subject?: string | undefined
  /** The salt of that commitment, in hex. */
  subject_salt?: string | undefined
  /** The content's SHA-256 in hex; null if it is no longer known. */
  content: string | null
  /** The path in the tree over all entries, in base64; undefined if the tiles did not yield it. */
  path?: readonly string[] | undefined
  /** Set if the salt is left out because of a later entry of this kind that the checkpoint does not cover. */
  unsigned?: 'erasure' | 'removal' | undefined
}

/** The line contains the entry's own line unchanged, so that a reader can extract it with `sed`. */
export function manifestLine({ entry, ...line }: ManifestLine): string {
  const { salt, subject, subject_salt, content, unsigned, path } = line
  const rest = JSON.stringify({ salt, subject, subject_salt, content, unsigned, path })
  return `{"entry":${entry},${rest.slice(1)}\n`
}

export function readManifestLine(line: string): ManifestLine | undefined {
  // Finds the salt that follows the entry. Inside a string, its quotes would be escaped by a backslash.
  const end = line.lastIndexOf(',"salt":')
  if (!line.startsWith(START) || end < 0) return undefined
  const entry = line.slice(START.length, end)
  const rest = parsed(`{${line.slice(end + 1)}`) as Partial<ManifestLine> | undefined
  if (typeof rest !== 'object' || rest === null) return undefined
  const { salt = null, content = null, unsigned, path } = rest
  const { subject, subject_salt } = rest
  const fits =
    (salt === null || isSalt(salt)) &&
    (subject === undefined
      ? subject_salt === undefined
      : typeof subject === 'string' && isSalt(subject_salt)) &&
    (content === null || isDigest(content)) &&
    (path === undefined || isPath(path)) &&
    (unsigned === undefined || unsigned === 'erasure' || unsigned === 'removal')
  const told = { entry, salt, subject, subject_salt, content }
  return fits ? { ...told, unsigned, path } : undefined
}

/** Returns how a line's subject differs from its commitment. Lines of version 2 with a salt must give it. */
export function wrongSubject(
  { subject, subject_salt: salt, salt: opened }: ManifestLine,
  { v, subject: named }: Entry,
): { expected: string; found: string } | undefined {
  const found =
    subject === undefined ? undefined : nameOfSubject(subject, Buffer.from(salt ?? '', 'hex'))
  if (found === undefined ? v === 1 || opened === null : found === named) return undefined
  return {
    expected: `a subject with the commitment ${named}`,
    found: found === undefined ? 'no subject' : `${subject}, which has another commitment`,
  }
}

function isSalt(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
}

/** A line of `older.ndjson`: an older state of the log, and the proof that the log continues it. */
export interface OlderLine {
  /** The older state, as size and root. */
  checkpoint: string
  /** Consistency proof (RFC 6962), in base64. */
  proof: readonly string[]
}

export function readOlderLine(text: string): OlderLine | undefined {
  const { checkpoint, proof } = (parsed(text) ?? {}) as Partial<OlderLine>
  return typeof checkpoint === 'string' && isPath(proof) ? { checkpoint, proof } : undefined
}

function isPath(path: unknown): path is string[] {
  return (
    Array.isArray(path) &&
    path.length <= 64 &&
    path.every((hash) => typeof hash === 'string' && hashOfBase64(hash) !== undefined)
  )
}

export function readBundleFacts(text: string): BundleFacts | undefined {
  const facts = parsed(text) as Partial<BundleFacts> | undefined
  if (typeof facts !== 'object' || facts === null) return undefined
  const { v, account, from, to, exported_at: at, checkpoint, key, entries, records, files } = facts
  const { sizes } = facts
  const fits =
    v === 1 &&
    [account, from, to, at].every((part) => typeof part === 'string') &&
    readState(checkpoint ?? '') !== undefined &&
    isDigest(key) &&
    [entries, records, files].every(isCount) &&
    (facts.case === undefined || isCase(facts.case)) &&
    (facts.slices === undefined || isRules(facts.slices)) &&
    typeof sizes === 'object' &&
    sizes !== null &&
    Object.values(sizes).every(isCount)
  return fits ? (facts as BundleFacts) : undefined
}

function isCase(value: unknown): value is BundleCase {
  if (typeof value !== 'object' || value === null) return false
  const { name, reason, held_until: until, exported_by: by } = value as Partial<BundleCase>
  const told = [name, reason, by].every((text) => typeof text === 'string')
  return told && (until === null || typeof until === 'string')
}

function isRules(value: unknown): value is SliceRules {
  const { windows, lists } = (value ?? {}) as Partial<SliceRules>
  const { stream, overlap_days: days } = windows ?? {}
  return (
    isCount(days) &&
    [stream, lists?.stream, lists?.prefix, lists?.from, lists?.to].every(
      (text) => typeof text === 'string',
    )
  )
}

export type MemberKind = 'fixed' | 'log' | 'anchor' | 'file' | 'record' | 'records' | 'other'

/** Returns the kind of a member by its name; `other` if no bundle has such a name. */
export function memberKind(name: string): MemberKind {
  return FORMS.find(([, form]) => form.test(name))?.[0] ?? 'other'
}

const START = '{"entry":'
const FIXED = [
  String.raw`(README|CHECK)\.txt|bundle\.json|key\.pem|SHA256SUMS(\.sig)?`,
  String.raw`(manifest|older|files|slices)\.ndjson|[a-z-]+\.(xlsx|html)`,
].join('|')
const NAMES: Readonly<Record<Exclude<MemberKind, 'other'>, RegExp>> = {
  fixed: new RegExp(`^(${FIXED})$`),
  log: /^(checkpoint(\.vkey)?|witnesses)$/,
  anchor: /^anchors\/\d{6,15}\.(note|tsr|pem|txt)$/,
  file: /^files\/[0-9a-f]{64}$/,
  record: /^records\/[0-9a-f]{64}\.json$/,
  records: /^records\/[a-z_]{1,60}\.ndjson$/,
}
const FORMS = Object.entries(NAMES) as [MemberKind, RegExp][]
