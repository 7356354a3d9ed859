import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { expectEnd } from '../../src/store/s3-list.ts'
import { createS3Store } from '../../src/store/s3-store.ts'
import { bucketAt } from './bucket.ts'

const sha = (n: number): string => n.toString(16).padStart(64, '0')

/** The files on a page, and the token of the next one; `page` is the requested token, 1 if there is none. */
type Way = (page: number) => { files: number[]; token?: string; truncated?: false }

let stop: () => void = () => undefined
afterEach(() => stop())

describe('a bucket’s list that never ends is an error', () => {
  it.each<[string, Way]>([
    ['if it repeats its token', (page) => ({ files: [page], token: '2' })],
    [
      'if it leads back to its first page',
      (page) => ({ files: [page], token: `${(page % 7) + 1}` }),
    ],
    ['if it alternates between two tokens', (page) => ({ files: [page], token: `${3 - page}` })],
    ['if it announces more without a token', () => ({ files: [1] })],
  ])('%s', async (_, way) => {
    const { store, calls } = await storeOf(way)
    const found: string[] = []
    const list = async () => {
      for await (const { sha256 } of store.list()) found.push(sha256)
    }
    await expect(list()).rejects.toMatchObject({
      code: 'store_list_endless',
      facts: { tried: expect.stringContaining('Listing the files in') as string },
    })
    expect(calls()).toBeLessThan(40)
  })

  it('but not if it ends', async () => {
    const { store } = await storeOf((page) =>
      page < 30
        ? { files: page % 9 === 0 ? [] : [page], token: `${page + 1}` }
        : { files: [0], truncated: false },
    )
    const found: string[] = []
    for await (const { sha256 } of store.list()) found.push(sha256)
    expect(found).toHaveLength(27)
  })
})

describe('a list with a new token on each page', () => {
  it('is an error after a million pages', () => {
    const check = expectEnd('Listing')
    const go = () => {
      for (let page = 1; ; page++) check(`${page}`)
    }
    expect(go).toThrow('the list has more than 1000000 pages')
  })
})

async function storeOf(way: Way) {
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    const token = new URL(request.url ?? '/', 'http://x').searchParams.get('continuation-token')
    const { files, token: next, truncated = true } = way(Number(token ?? '1'))
    const objects = files.map(
      (n) => `<Contents><Key>callsheet/main/${sha(n).slice(0, 2)}/${sha(n)}</Key>
      <Size>1</Size></Contents>`,
    )
    const on = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
    response.setHeader('content-type', 'application/xml')
    response.end(`<?xml version="1.0"?><ListBucketResult><Name>b</Name>${on}
      <IsTruncated>${truncated}</IsTruncated>${objects.join('')}</ListBucketResult>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stop = () => {
    server.closeAllConnections()
    server.close()
  }
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { store: createS3Store(bucketAt(endpoint, tmpdir()).options()), calls: () => calls }
}
