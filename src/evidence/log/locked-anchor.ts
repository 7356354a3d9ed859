import { checkpointNote, readCheckpoint } from './checkpoint.ts'
import { sha256Hex } from './digest.ts'

/**
 * A checkpoint that is locked against deletion, with the data that a third party needs to request it from the
 * bucket.
 */
export interface LockedAnchor {
  /** `s3://bucket/key` */
  object: string
  /** Null for the provider's default endpoint. */
  endpoint: string | null
  /** Null if the bucket is not versioned. */
  version: string | null
  /** An instant in UTC. */
  lockedUntil: string
  /** The SHA-256 of the checkpoint's note, which the object must have too. */
  sha256: string
}

export function lockedAnchorText(anchor: LockedAnchor): string {
  const { object, endpoint, version, lockedUntil, sha256 } = anchor
  return [
    `object: ${object}`,
    `endpoint: ${endpoint ?? NONE}`,
    `version: ${version ?? NONE}`,
    `locked until: ${lockedUntil}`,
    `sha256: ${sha256}`,
    '',
  ].join('\n')
}

export function readLockedAnchor(text: string): LockedAnchor | undefined {
  const [all, object, endpoint, version, lockedUntil, sha256] = FORM.exec(text) ?? []
  if (all === undefined || !object || !endpoint || !version || !lockedUntil || !sha256)
    return undefined
  if (!isInstant(lockedUntil)) return undefined
  const given = (part: string): string | null => (part === NONE ? null : part)
  return { object, endpoint: given(endpoint), version: given(version), lockedUntil, sha256 }
}

/** Returns why a lock does not fit the checkpoint; undefined if it fits. */
export function wrongLock(
  anchor: LockedAnchor | undefined,
  note: string,
): { expected: string; found: string } | undefined {
  if (anchor === undefined)
    return {
      expected: 'the place of a locked checkpoint',
      found: 'not in the form that Callsheet writes',
    }
  const hash = sha256Hex(note)
  if (anchor.sha256 !== hash) return { expected: hash, found: anchor.sha256 }
  const state = readCheckpoint(note)
  const name = state === undefined ? 'a checkpoint' : checkpointNote(state)
  return anchor.object.endsWith(`/${name}`)
    ? undefined
    : { expected: `an object with the name ${name}`, found: anchor.object }
}

/** Accepts only the form that Callsheet writes, because other forms cannot be compared as text. */
function isInstant(text: string): boolean {
  const atMs = Date.parse(text)
  return !Number.isNaN(atMs) && new Date(atMs).toISOString() === text
}

const NONE = '-'
const FORM = new RegExp(
  [
    '^object: (s3:.{1,1200})',
    'endpoint: (.{1,300})',
    'version: (.{1,1100})',
    'locked until: ([0-9:.TZ-]{20,30})',
    'sha256: ([0-9a-f]{64})',
    '$',
  ].join('\\n'),
)
