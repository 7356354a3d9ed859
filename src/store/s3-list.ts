import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import type { S3Access } from './s3-client.ts'
import { wrapErrors } from './s3-error.ts'
import { expectEnd } from './s3-pages.ts'

/** Lists all objects below a key, at most 1,000 per page. */
export async function* listKeys(
  { client, options: { bucket }, place }: S3Access,
  below: string,
): AsyncGenerator<{ key: string; size: number }> {
  const tried = `Listing the files in ${place}`
  const check = expectEnd(tried)
  let next: string | undefined
  do {
    const page = await wrapErrors(tried, () =>
      client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: below, ContinuationToken: next }),
      ),
    )
    const found = page.Contents ?? []
    const truncated = page.IsTruncated === true
    next = truncated ? page.NextContinuationToken : undefined
    check({ names: found.map(({ Key = '' }) => Key), next, truncated })
    for (const { Key = '', Size = 0 } of found) yield { key: Key, size: Size }
  } while (next !== undefined)
}

/**
 * Removes every version of an object, the current one last, so that an interrupted removal finds it again. In
 * a versioned bucket a plain removal would only hide the bytes.
 */
export async function removeVersions(access: S3Access, key: string): Promise<void> {
  const { client, options } = access
  const target = { Bucket: options.bucket, Key: key }
  const versions: string[] = []
  for await (const id of versionsOf(access, key)) versions.push(id)
  for (const VersionId of versions.toReversed())
    await client.send(new DeleteObjectCommand({ ...target, VersionId }))
}

/** Newest first, as the service lists them; delete markers are versions too. */
async function* versionsOf(
  { client, options, place }: S3Access,
  key: string,
): AsyncGenerator<string> {
  const check = expectEnd(`Listing the versions of a file in ${place}`)
  let marker: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined =
    {}
  while (marker !== undefined) {
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand({ Bucket: options.bucket, Prefix: key, ...marker }),
    )
    const all = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])]
    const truncated = page.IsTruncated === true
    const { NextKeyMarker: afterKey, NextVersionIdMarker: afterId } = page
    const next =
      truncated && afterKey !== undefined ? JSON.stringify([afterKey, afterId]) : undefined
    check({
      names: all.map(({ Key, VersionId }) => JSON.stringify([Key, VersionId])),
      next,
      truncated,
    })
    const found = all
      .filter(({ Key }) => Key === key)
      .toSorted((a, b) => Number(b.LastModified) - Number(a.LastModified))
    for (const { VersionId } of found) if (VersionId !== undefined) yield VersionId
    marker = truncated ? { KeyMarker: afterKey, VersionIdMarker: afterId } : undefined
  }
}
