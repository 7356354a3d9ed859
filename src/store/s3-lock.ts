import { type HeadObjectCommandOutput, PutObjectRetentionCommand } from '@aws-sdk/client-s3'
import type { S3Access } from './s3-client.ts'
import { headOf, tryHead } from './s3-head.ts'
import { lockUntil, target } from './s3-put.ts'
import type { LockedNote, NoteAddress } from './store.ts'

/** Makes the lock of an object last as long as that of a new one would, where one is asked for. */
export async function makeLocked(access: S3Access, key: string): Promise<void> {
  const until = lockUntil(access)
  if (until === undefined) return
  // Asked of the service itself: some take the wish for a lock with an upload in parts, and forget it.
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

/** Epoch milliseconds until which the bucket itself refuses the removal; infinite under a legal hold. */
export function lockedUntilMs({ options }: S3Access, head: HeadObjectCommandOutput | undefined) {
  if (head?.ObjectLockLegalHoldStatus === 'ON') return Number.POSITIVE_INFINITY
  const untilMs = Number(head?.ObjectLockRetainUntilDate ?? 0)
  return untilMs > options.clock.now() ? untilMs : undefined
}

/** What the bucket says of a note, whether its lock has ended or not. */
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
    // Whoever has the right may take a lock of another mode away.
    lockedUntilMs:
      head.ObjectLockMode === 'COMPLIANCE' ? head.ObjectLockRetainUntilDate?.getTime() : undefined,
  }
}

export function addressOf({ options }: S3Access, key: string): NoteAddress {
  const { bucket, endpoint = null } = options
  return { object: `s3://${bucket}/${key}`, endpoint }
}

/** Between two readings of the clock, and the seconds that a service rounds a date to. */
const LOCK_SLACK_MS = 60_000
