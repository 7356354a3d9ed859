import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectLockConfigurationCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { StoreError } from '../core/errors.ts'
import { type S3Access, target } from './s3-client.ts'
import { codeOf, isNotOffered, wrapErrors } from './s3-error.ts'

/**
 * Checks what would otherwise fail in the middle of a run: that the bucket exists, that the key may list and
 * write the account's objects, and that the configured lock is available. Removes unfinished uploads.
 */
export async function prepareBucket(access: S3Access): Promise<void> {
  await lookIntoBucket(access)
  await wrapErrors(`Removing unfinished uploads from ${access.place}`, () => clearUploads(access))
  await wrapErrors(`Trying to write to ${access.place}`, () => tryToWrite(access))
}

/** The same checks, without removing unfinished uploads, because another process may be writing. */
export async function examineBucket(access: S3Access): Promise<void> {
  await lookIntoBucket(access)
  await wrapErrors(`Trying to write to ${access.place}`, () => tryToWrite(access))
}

async function lookIntoBucket(access: S3Access): Promise<void> {
  const { client, options, place, root } = access
  // Sends a list instead of a HEAD, because an error of HEAD gives no reason.
  await wrapErrors(`Opening ${place}`, () =>
    client.send(new ListObjectsV2Command({ Bucket: options.bucket, Prefix: root, MaxKeys: 1 })),
  )
  if (options.lockDays !== undefined)
    await wrapErrors(`Checking the object lock of ${place}`, () => checkLock(access))
}

async function checkLock({ client, options, place }: S3Access): Promise<void> {
  const enabled = await client
    .send(new GetObjectLockConfigurationCommand({ Bucket: options.bucket }))
    .then(({ ObjectLockConfiguration: lock }) => lock?.ObjectLockEnabled === 'Enabled')
    .catch((error: unknown) => {
      if (codeOf(error) === 'ObjectLockConfigurationNotFoundError' || isNotOffered(error))
        return false
      throw error
    })
  if (enabled) return
  throw new StoreError('store_without_lock', {
    tried: `Checking the object lock of ${place}`,
    came: `archive.s3.lockDays is ${options.lockDays}, but the bucket has no object lock`,
    todo: 'turn on object lock for the bucket, or set archive.s3.lockDays to null',
  })
}

/** Removes the parts of a killed process's uploads, which use space but appear in no list of objects. */
async function clearUploads(access: S3Access): Promise<void> {
  const { client, options, root } = access
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined =
    {}
  while (after !== undefined) {
    const page: ListMultipartUploadsCommandOutput | undefined = await client
      .send(new ListMultipartUploadsCommand({ Bucket: options.bucket, Prefix: root, ...after }))
      .catch((error: unknown) => {
        if (isNotOffered(error)) return undefined
        throw error
      })
    for (const { Key = '', UploadId } of page?.Uploads ?? []) await abort(access, Key, UploadId)
    after =
      page?.IsTruncated === true
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined
  }
}

/** Starting and aborting an upload needs the right to write and leaves no object. */
async function tryToWrite(access: S3Access): Promise<void> {
  const { Key, UploadId } = await access.client.send(
    new CreateMultipartUploadCommand(target(access, `${access.root}notes/trial`)),
  )
  await abort(access, Key ?? `${access.root}notes/trial`, UploadId)
}

async function abort(access: S3Access, key: string, UploadId: string | undefined): Promise<void> {
  await access.client
    .send(new AbortMultipartUploadCommand({ ...target(access, key), UploadId }))
    .catch((error: unknown) => {
      if (!isNotOffered(error) && codeOf(error) !== 'NoSuchUpload') throw error
    })
}
