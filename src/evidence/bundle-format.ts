import { isDigest } from './digest.ts'
import { isCount, parsed } from './entry.ts'

/** What `bundle.json` says of the whole. */
export interface BundleFacts {
  v: 1
  account: string
  from: string
  to: string
  whiteboard: string | null
  user: string | null
  exported_at: string
  /** The hash of the newest head. */
  head: string
  /** The fingerprint of `key.pem`. */
  key: string
  /** Lines of `manifest.ndjson`. */
  entries: number
  /** Lines of the members under `records/`. */
  records: number
  /** Members under `files/`. */
  files: number
  /**
   * The bytes of each member whose size follows from no entry. Bundles of before say none.
   */
  sizes?: Readonly<Record<string, number>>
}

/** A line of `manifest.ndjson`: an entry, and what shows that it is in a signed head. */
export interface ManifestLine {
  /** The entry's own line, byte for byte. */
  entry: string
  /** Hex; null once an erasure removed it, or where the content is not in the bundle. */
  salt: string | null
  /** The content's SHA-256 in hex; null where it is not known any more. */
  content: string | null
  head: number
  leaf: number
  proof: readonly string[]
  /** What an entry says of it that no head tells of yet: the reason why it comes without its salt. */
  unsigned?: 'erasure' | 'removal' | undefined
}

/** The entry stands in the line as it is, so that `sed` can cut it out. */
export function manifestLine({ entry, ...line }: ManifestLine): string {
  const { salt, content, head, leaf, unsigned, proof } = line
  const rest = JSON.stringify({ salt, content, head, leaf, unsigned, proof })
  return `{"entry":${entry},${rest.slice(1)}\n`
}

export function readManifestLine(line: string): ManifestLine | undefined {
  // Inside of a text the quotes would come with a backslash.
  const end = line.lastIndexOf(',"salt":')
  if (!line.startsWith(START) || end < 0) return undefined
  const entry = line.slice(START.length, end)
  const rest = parsed(`{${line.slice(end + 1)}`) as Partial<ManifestLine> | undefined
  if (typeof rest !== 'object' || rest === null) return undefined
  const { salt = null, content = null, head, leaf, unsigned, proof } = rest
  const fits =
    (salt === null || (typeof salt === 'string' && /^[0-9a-f]{32}$/.test(salt))) &&
    (content === null || isDigest(content)) &&
    isCount(head) &&
    isCount(leaf) &&
    Array.isArray(proof) &&
    proof.length <= 64 &&
    proof.every(isDigest) &&
    (unsigned === undefined || unsigned === 'erasure' || unsigned === 'removal')
  return fits ? { entry, salt, content, head, leaf, proof, unsigned } : undefined
}

export function readBundleFacts(text: string): BundleFacts | undefined {
  const facts = parsed(text) as Partial<BundleFacts> | undefined
  if (typeof facts !== 'object' || facts === null) return undefined
  const { v, account, from, to, exported_at: at, head, key, entries, records, files } = facts
  const { sizes = {} } = facts
  const fits =
    v === 1 &&
    [account, from, to, at].every((part) => typeof part === 'string') &&
    [head, key].every(isDigest) &&
    [entries, records, files].every(isCount) &&
    typeof sizes === 'object' &&
    Object.values(sizes).every(isCount)
  return fits ? (facts as BundleFacts) : undefined
}

export type MemberKind =
  | 'fixed'
  | 'head'
  | 'key'
  | 'anchor'
  | 'file'
  | 'record'
  | 'records'
  | 'other'

/** What a member is by its name: those of other names belong to no bundle. */
export function memberKind(name: string): MemberKind {
  return (Object.entries(NAMES).find(([, form]) => form.test(name))?.[0] ?? 'other') as MemberKind
}

const START = '{"entry":'
const NAMES: Readonly<Record<Exclude<MemberKind, 'other'>, RegExp>> = {
  fixed:
    /^(README\.txt|bundle\.json|(manifest|files)\.ndjson|key\.pem|SHA256SUMS(\.sig)?|[a-z-]+\.xlsx)$/,
  head: /^heads\/\d{6,15}\.(json|sig)$/,
  key: /^keys\/[0-9a-f]{64}\.pem$/,
  anchor: /^anchors\/\d{6,15}\.(tsr|txt)$/,
  file: /^files\/[0-9a-f]{64}$/,
  record: /^records\/[0-9a-f]{64}\.json$/,
  records: /^records\/[a-z_]{1,60}\.ndjson$/,
}
