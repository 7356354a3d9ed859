import { afterEach, expect, it } from 'vitest'
import { listFiles } from '../../src/archive/list-files.ts'
import { activityFiles } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { faultServer, send } from '../api/fault-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

it('later pages of a file list have the page size that the service accepted for the first', async () => {
  const activities = [{ id: 'a', download_url: 'https://files.example/a' }]
  const asked: string[] = []
  const server = await faultServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://localhost').searchParams
    asked.push(`${query.get('page_size')} ${query.get('next_page_token')}`)
    const token = query.has('next_page_token') ? '' : 'more'
    send(200, { activities, next_page_token: token })(request, response)
  })
  closers.push(server.close)
  const found = {
    get: (reading: string) => (reading === 'page_size:whiteboard_sessions.get' ? '38' : undefined),
    remember: () => Promise.resolve(),
  }
  const { client, close } = clientUnderTest(server.url, { found })
  closers.push(close)
  const { signal } = new AbortController()
  const listing = { parent: 's', span: undefined, withToken: false, signal }
  const pages = listFiles(client, activityFiles, listing)
  await pages.next()
  await pages.next().catch(() => undefined)
  expect(asked).toEqual(['38 null', '38 more'])
})

it('a file list whose page token repeats fails on its second page', async () => {
  const activities = [{ id: 'a', download_url: 'https://files.example/a' }]
  const server = await faultServer(send(200, { activities, next_page_token: 'more' }))
  closers.push(server.close)
  const { client, close } = clientUnderTest(server.url)
  closers.push(close)
  const { signal } = new AbortController()
  const listing = { parent: 's', span: undefined, withToken: false, signal }
  const pages: number[] = []
  const reading = (async () => {
    for await (const page of listFiles(client, activityFiles, listing)) pages.push(page.length)
  })()
  await expect(reading).rejects.toMatchObject({ code: 'page_loop' })
  expect(pages).toEqual([1])
})

it('pages of a file list with different records are not taken for repeats, even without IDs', async () => {
  let page = 0
  const server = await faultServer((request, response) => {
    const activities = [{ type: 'drawn', create_time: `2026-05-04T10:00:${10 + page}Z` }]
    send(200, { activities, next_page_token: ++page === 12 ? '' : `p${page}` })(request, response)
  })
  closers.push(server.close)
  const { client, close } = clientUnderTest(server.url)
  closers.push(close)
  const { signal } = new AbortController()
  const listing = { parent: 's', span: undefined, withToken: false, signal }
  let pages = 0
  for await (const listed of listFiles(client, activityFiles, listing)) pages += 1 + listed.length
  expect(pages).toBe(12)
})
