import { afterEach, expect, it } from 'vitest'
import { downloadArchivedFile } from '../../src/resources/whiteboard-archives.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { memorySinks } from '../api/memory-sink.ts'
import { openOrigin } from './open-origin.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const REFUSED = '{"code":124,"message":"Invalid token."}'

it.each([
  ['a 401', { status: 401 }],
  ['a code inside a 200', { status: 200, type: 'application/json', body: REFUSED }],
])(
  'a redirect back to the API that ends in %s does not renew the token, because none was sent',
  async (_, said) => {
    const first = await openOrigin((_headers, path) =>
      path === '/v2/back' ? said : { status: 307, location: away() },
    )
    const second = await openOrigin(() => ({ status: 307, location: `${first.url}/v2/back` }))
    const away = (): string => `${second.url}/away`
    const tested = clientUnderTest(`${first.url}/v2`, { fileHosts: [`127.0.0.1:${second.port}`] })
    closers.push(tested.close, first.close, second.close)
    const { receive } = memorySinks()
    const url = `${first.url}/v2/f`
    await expect(tested.client.download(downloadArchivedFile, { url, receive })).rejects.toThrow(
      'which received no token because a redirect led there',
    )
    expect(tested.replacements()).toBe(0)
  },
)
