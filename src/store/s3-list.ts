import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
} from '@aws-sdk/client-s3'
import { StoreError } from '../core/errors.ts'
import type { S3Access } from './s3-client.ts'
import { wrapErrors } from './s3-error.ts'

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

interface Page {
  /** Names on the page; a list must show each only once. */
  names: readonly string[]
  /** The token of the next page; undefined at the end. */
  next: string | undefined
  /** True if the service reports more pages. */
  truncated: boolean
}

/**
 * Checks that a list ends. If a service starts over, a remembered name appears again: the first name of pages
 * 1, 2, 4, 8 and so on is remembered, which finds a cycle of any length.
 */
export function expectEnd(tried: string): (page: Page) => void {
  let remembered: string | undefined
  let pages = 0
  let empty = 0
  let asked: string | undefined
  return ({ names, next, truncated }) => {
    pages++
    empty = names.length === 0 ? empty + 1 : 0
    if (truncated && next === undefined)
      throw endless(tried, 'a page says that more follow, but not how to request them')
    if (truncated && next === asked) throw endless(tried, 'a page leads to itself')
    if (remembered !== undefined && names.includes(remembered))
      throw endless(tried, `a name appears twice, the second time on page ${pages}`)
    if (empty === MOST_EMPTY) throw endless(tried, `${MOST_EMPTY} pages in a row are empty`)
    if (pages === MOST_PAGES && truncated)
      throw endless(tried, `the list has more than ${MOST_PAGES} pages`)
    if (Number.isInteger(Math.log2(pages))) remembered = names[0] ?? remembered
    asked = next
  }
}

function endless(tried: string, came: string): StoreError {
  return new StoreError('store_list_endless', {
    tried,
    came,
    todo: "contact the support of the bucket's service: its list of objects is wrong",
  })
}

const MOST_EMPTY = 10
/** The maximum number of pages: at a thousand files per page, a billion files. */
const MOST_PAGES = 1_000_000
