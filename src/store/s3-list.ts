import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import { StoreError } from '../core/errors.ts'
import type { S3Access } from './s3-client.ts'
import { wrapErrors } from './s3-error.ts'

/** Lists all objects whose keys begin with `below`. */
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
    next = page.IsTruncated === true ? check(page.NextContinuationToken) : undefined
    for (const { Key = '', Size = 0 } of page.Contents ?? []) yield { key: Key, size: Size }
  } while (next !== undefined)
}

/**
 * Removes every version of an object; in a versioned bucket a plain removal would only hide the bytes. The
 * current version goes last, so that a repeated removal finds the object after an interruption.
 */
export async function removeVersions(access: S3Access, key: string): Promise<void> {
  const { client, options } = access
  const target = { Bucket: options.bucket, Key: key }
  const versions: string[] = []
  for await (const id of versionsOf(access, key)) versions.push(id)
  for (const VersionId of versions.toReversed())
    await client.send(new DeleteObjectCommand({ ...target, VersionId }))
}

/** Yields the versions of an object, the newest first; delete markers are versions too. */
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
    const { NextKeyMarker: afterKey, NextVersionIdMarker: afterId } = page
    const truncated = page.IsTruncated === true
    if (truncated) check(afterKey && JSON.stringify([afterKey, afterId]))
    const found = all
      .filter(({ Key }) => Key === key)
      .toSorted((a, b) => Number(b.LastModified) - Number(a.LastModified))
    for (const { VersionId } of found) if (VersionId !== undefined) yield VersionId
    marker = truncated ? { KeyMarker: afterKey, VersionIdMarker: afterId } : undefined
  }
}

/** Returns a check of next-page tokens; it throws if one is missing or repeated, or after `MOST_PAGES`. */
export function expectEnd(tried: string): (next: string | undefined) => string {
  const asked = new Set<string>()
  return (next) => {
    if (next === undefined)
      throw endless(tried, 'a page says that more follow, but not how to request them')
    if (asked.has(next)) throw endless(tried, 'a page leads back to an earlier one')
    if (asked.size >= MOST_PAGES) throw endless(tried, `the list has more than ${MOST_PAGES} pages`)
    asked.add(next)
    return next
  }
}

function endless(tried: string, came: string): StoreError {
  return new StoreError('store_list_endless', {
    tried,
    came,
    todo: "contact the support of the bucket's service: its list of objects is wrong",
  })
}

/** The maximum number of pages: at a thousand files per page, a billion files. */
const MOST_PAGES = 1_000_000
