import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { StoreError } from '../core/errors.ts'
import { type S3Access, target } from './s3-client.ts'
import { type LocalDraft, sha256Of } from './s3-draft.ts'
import { lockUntil } from './s3-lock.ts'

/** Sends a whole draft under a key. The service compares each body with its checksum before storing it. */
export async function putDraft(
  access: S3Access,
  { key, sha256, draft }: { key: string; sha256: string; draft: SentDraft },
): Promise<void> {
  if (draft.size() > access.limits.partBytes)
    return await putInParts(access, { key, sha256, draft })
  const body = await draft.read(0, draft.size())
  checkHash(sha256Of(body).toString('hex'), sha256)
  await putBytes(access, key, body)
}

export async function putBytes(access: S3Access, key: string, body: Uint8Array): Promise<void> {
  await access.client.send(
    new PutObjectCommand({
      ...target(access, key),
      ...askedLock(access),
      Body: body,
      ContentLength: body.byteLength,
      ContentType: 'application/octet-stream',
      ...checksumOf(body),
    }),
  )
}

type SentDraft = Pick<LocalDraft, 'read' | 'size'>

interface Upload {
  key: string
  sha256: string
  draft: SentDraft
}

/**
 * Uploads with one part at a time in memory. The object exists only after the last call names all parts. A
 * failure before that aborts the upload. The archive's next `open` removes the uploads of a killed process.
 */
async function putInParts(access: S3Access, { key, sha256, draft }: Upload): Promise<void> {
  const { client } = access
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({
      ...target(access, key),
      ...askedLock(access),
      ContentType: 'application/octet-stream',
      ChecksumAlgorithm: 'SHA256',
    }),
  )
  const upload = { ...target(access, key), UploadId }
  try {
    const Parts = await sendParts(access, { upload, sha256, draft })
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }))
  } catch (error) {
    // The caller reports the first failure, not that of the abort.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {})
    throw error
  }
}

interface Parts {
  upload: { Bucket: string; Key: string; UploadId: string | undefined }
  sha256: string
  draft: SentDraft
}

async function sendParts(
  { client, limits }: S3Access,
  { upload, sha256, draft }: Parts,
): Promise<CompletedPart[]> {
  const whole = createHash('sha256')
  const partBytes = Math.max(limits.partBytes, Math.ceil(draft.size() / MAX_PARTS))
  const parts: CompletedPart[] = []
  for (let offset = 0; offset < draft.size(); offset += partBytes) {
    const body = await draft.read(offset, Math.min(partBytes, draft.size() - offset))
    whole.update(body)
    const number = { PartNumber: parts.length + 1 }
    const sum = checksumOf(body)
    const { ETag } = await client.send(
      new UploadPartCommand({
        ...upload,
        ...number,
        ...sum,
        Body: body,
        ContentLength: body.byteLength,
      }),
    )
    parts.push({ ...number, ChecksumSHA256: sum.ChecksumSHA256, ETag })
  }
  checkHash(whole.digest('hex'), sha256)
  return parts
}

/** A request with a lock must name its checksum's algorithm; servers refuse it otherwise. */
function checksumOf(body: Uint8Array) {
  return {
    ChecksumAlgorithm: 'SHA256' as const,
    ChecksumSHA256: sha256Of(body).toString('base64'),
  }
}

/** Uses compliance mode, in which not even the owner of the bucket can shorten the lock. */
function askedLock(access: S3Access) {
  const until = lockUntil(access)
  return until === undefined
    ? {}
    : { ObjectLockMode: 'COMPLIANCE' as const, ObjectLockRetainUntilDate: until }
}

function checkHash(came: string, expected: string): void {
  if (came === expected) return
  throw new StoreError('store_damaged', {
    tried: 'Sending a draft to the bucket',
    came: `the SHA-256 of the draft is ${came}, not ${expected}`,
    todo: 'run again; if it repeats, check the disk of stateDirectory',
  })
}

const MAX_PARTS = 10_000
