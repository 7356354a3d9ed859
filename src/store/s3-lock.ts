import { type HeadObjectCommandOutput, PutObjectRetentionCommand } from '@aws-sdk/client-s3'
import { DAY_MS } from '../core/time/time.ts'
import { type S3Access, target } from './s3-client.ts'
import { headOf, tryHead } from './s3-head.ts'
import type { LockedNote, NoteAddress } from './store.ts'

/** Returns the end of the object lock of a file stored now; undefined without `lockDays`. */
export function lockUntil({ options: { lockDays, clock } }: S3Access): Date | undefined {
  return lockDays === undefined ? undefined : new Date(clock.now() + lockDays * DAY_MS)
}

/** Extends an object's lock to `lockUntil`, unless it is that long already or `lockDays` is undefined. */
export async function makeLocked(access: S3Access, key: string): Promise<void> {
  const until = lockUntil(access)
  if (until === undefined) return
  // Checks the object itself: some services accept a lock with a multipart upload and then ignore it.
  const head = await tryHead(access, key)
  if (Number(head?.ObjectLockRetainUntilDate ?? 0) >= Number(until) - LOCK_SLACK_MS) return
  await access.client.send(
    new PutObjectRetentionCommand({
      ...target(access, key),
      Retention: { Mode: 'COMPLIANCE', RetainUntilDate: until },
      ChecksumAlgorithm: 'SHA256',
    }),
  )
}

/** When the object's lock ends, in epoch milliseconds; infinite under a legal hold, undefined if unlocked. */
export function lockedUntilMs({ options }: S3Access, head: HeadObjectCommandOutput | undefined) {
  if (head?.ObjectLockLegalHoldStatus === 'ON') return Number.POSITIVE_INFINITY
  const untilMs = Number(head?.ObjectLockRetainUntilDate ?? 0)
  return untilMs > options.clock.now() ? untilMs : undefined
}

/** Returns the bucket's data on a note: its address, its version and the end of its lock, even if past. */
export async function lockedNote(
  access: S3Access,
  key: string,
  version?: string,
): Promise<LockedNote | undefined> {
  const head = await headOf(access, key, version)
  if (head === undefined) return undefined
  return {
    ...addressOf(access, key),
    version: head.VersionId ?? null,
    // A lock in governance mode does not count: whoever has the permission can remove it.
    lockedUntilMs:
      head.ObjectLockMode === 'COMPLIANCE' ? head.ObjectLockRetainUntilDate?.getTime() : undefined,
  }
}

export function addressOf({ options }: S3Access, key: string): NoteAddress {
  const { bucket, endpoint = null } = options
  return { object: `s3://${bucket}/${key}`, endpoint }
}

/** Tolerates the time between two clock readings, and dates rounded to seconds. */
const LOCK_SLACK_MS = 60_000
