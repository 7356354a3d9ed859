import { expect, it } from 'vitest'
import { TransportError } from '../../src/core/errors.ts'
import type { ReadPage } from './client-under-test.ts'
import { send } from './fault-server.ts'
import { servedClient } from './served-client.ts'

const users = [{ id: 'u1', status: 'active' }]

/** Undocumented fields that announce another page. */
const MORE: readonly object[] = [
  { has_more: true },
  { hasMore: 'true' },
  { isTruncated: 1 },
  { partial: true },
  { incomplete_results: true },
  { nextPageToken: 'abc' },
  { next: 'https://api.example/v2/users?page=2' },
  { next_cursor: 17 },
  { '@odata.nextLink': 'https://api.example/v2/users' },
  { links: { self: 'x', next: { href: 'https://api.example/v2/users' } } },
  { paging: { hasNextPage: true } },
]

/** Fields that announce nothing. */
const END: readonly object[] = [
  { has_more: false, next: null, nextPageToken: '' },
  { hasMore: 'false', next_cursor: 0, links: { self: 'x', next: null } },
  { more: 'https://docs.example', paging: { hasNextPage: false, next: 'null' } },
  { partial: null, next: {}, page: { next: '' } },
]

it.each(MORE)('a last page that announces more pages is rejected: %j', async (beside) => {
  for (const last of [{}, { next_page_token: '' }]) {
    const { fetch } = await servedClient([send(200, { ...last, ...beside, users })])
    const error = await fetch()
    expect(error).toBeInstanceOf(TransportError)
    expect((error as Error).message).toContain(Object.keys(beside)[0])
  }
  // With a documented page token, the list continues.
  const { fetch } = await servedClient([send(200, { next_page_token: 'p2', ...beside, users })])
  expect(((await fetch()) as ReadPage).records).toEqual(users)
})

it.each(END)('a last page that announces no more pages is accepted: %j', async (beside) => {
  const { fetch } = await servedClient([send(200, { ...beside, users })])
  expect(((await fetch()) as ReadPage).records).toEqual(users)
})

it('a header that links to a next page counts as an announcement of more pages', async () => {
  const link = '<https://api.example/v2/users?page=2>; rel="next"'
  const { fetch } = await servedClient([send(200, { users }, { link })])
  expect(await fetch()).toBeInstanceOf(TransportError)
  const { fetch: last } = await servedClient([
    send(200, { users }, { link: link.replace('next"', 'prev"') }),
  ])
  expect(((await last()) as ReadPage).records).toEqual(users)
})
