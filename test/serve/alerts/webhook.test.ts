import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { Secret } from '../../../src/config/secret.ts'
import { CallsheetError } from '../../../src/core/errors.ts'
import type { Message } from '../../../src/serve/alerts/message.ts'
import { openPing } from '../../../src/serve/alerts/open-channels.ts'
import { createWebhook, type WebhookSettings } from '../../../src/serve/alerts/webhook.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { selfSigned } from '../../security/certificates.ts'
import { type HookAnswer, startHookServer } from './hook-server.ts'

const NOW = Date.parse('2026-07-01T05:00:00Z')
const MESSAGE: Message = {
  subject: 'Callsheet: 1 new',
  text: 'A job <fails> & waits.',
  facts: { kind: 'alert', alerts: [{ code: 'job_failing' }] },
}
const PATH = '/hooks/token-of-the-url?key=1'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function open(answer: HookAnswer = 200) {
  const server = await startHookServer(answer)
  closers.push(server.close)
  const clock = manualClock(NOW)
  const hook = (changes: Partial<WebhookSettings> = {}) =>
    createWebhook(
      {
        setting: 'alerts.webhook',
        url: () => `${server.url}${PATH}`,
        form: 'json',
        timeoutMs: 5_000,
        ...changes,
      },
      { clock },
    )
  return { ...server, clock, hook }
}

async function refusal(sending: Promise<unknown>): Promise<CallsheetError> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CallsheetError)
  const said = `${(error as Error).message} ${JSON.stringify(error)}`
  expect(said).not.toContain('token-of-the-url')
  expect(said).not.toContain('127.0.0.1')
  return error as CallsheetError
}

describe('a webhook', () => {
  it('gets all data as JSON, and files in base64', async () => {
    const { hook, taken } = await open(204)
    const content = Buffer.from('a,b\n')
    const attachments = [{ name: '../a.csv', content, contentType: 'text/csv' }]
    expect(await hook().send({ ...MESSAGE, attachments })).toBeUndefined()
    const [{ method, path, headers, body }] = taken as [(typeof taken)[0]]
    expect({ method, path }).toEqual({ method: 'POST', path: PATH })
    expect(headers['content-type']).toBe('application/json')
    expect(headers.authorization).toBeUndefined()
    expect(headers['x-callsheet-signature']).toBeUndefined()
    expect(JSON.parse(body)).toEqual({
      version: 1,
      subject: MESSAGE.subject,
      text: MESSAGE.text,
      kind: 'alert',
      alerts: [{ code: 'job_failing' }],
      attachments: [{ name: 'a.csv', contentType: 'text/csv', base64: content.toString('base64') }],
    })
  })

  it('gets one text in Slack’s format, with all markup escaped', async () => {
    const { hook, taken } = await open()
    await hook({ form: 'slack' }).send(MESSAGE)
    expect(JSON.parse(taken[0]?.body ?? '')).toEqual({
      text: 'Callsheet: 1 new\nA job &lt;fails&gt; &amp; waits.',
    })
    const attachments = [{ name: 'a', content: Buffer.of(1), contentType: 'text/plain' }]
    const sending = hook({ form: 'slack' }).send({ ...MESSAGE, attachments })
    expect(await refusal(sending)).toMatchObject({ code: 'attachment_not_possible' })
  })

  it('gets the configured bearer token', async () => {
    const { hook, taken } = await open()
    await hook({ bearer: () => 'bearer-1' }).send(MESSAGE)
    expect(taken[0]?.headers.authorization).toBe('Bearer bearer-1')
  })

  it.each([
    [400, 'never'],
    [404, 'never'],
    [429, 'backoff'],
    [503, 'backoff'],
  ] as const)(
    'fails if its receiver answers %i, and the error names the status',
    async (status, kind) => {
      const { hook } = await open(status)
      const error = await refusal(hook().send(MESSAGE))
      expect(error).toMatchObject({ code: 'delivery_refused', retry: { kind } })
      expect(error.message).toContain(String(status))
    },
  )

  it('fails on a redirect, and sends nothing to its target', async () => {
    const other = await open()
    const { hook } = await open({ redirect: `${other.url}/elsewhere` })
    expect((await refusal(hook().send(MESSAGE))).message).toContain('302, a redirect')
    expect(other.taken).toEqual([])
  })

  it('fails if its receiver does not respond within the time limit', async () => {
    const { hook, clock, nextTaken } = await open('nothing')
    const came = nextTaken()
    const sending = refusal(hook().send(MESSAGE))
    await came
    await clock.advance(5_000)
    expect(await sending).toMatchObject({ code: 'delivery_late' })
  })

  it('is aborted when the caller stops', async () => {
    const { hook, nextTaken } = await open('nothing')
    const came = nextTaken()
    const stop = new AbortController()
    const sending = hook().send(MESSAGE, stop.signal)
    const ended = sending.catch((error: unknown) => error)
    await came
    stop.abort(new Error('stopped'))
    expect(await ended).toMatchObject({ message: 'stopped' })
  })

  it('fails with the network’s error code if its receiver is unreachable', async () => {
    const { hook, close } = await open()
    await close()
    closers.length = 0
    expect((await refusal(hook().send(MESSAGE))).message).toContain('ECONNREFUSED')
  })

  it.each([
    'http://token-of-the-url.example.com',
    'https://user:token-of-the-url@a.example',
    'x y',
  ])('is refused if its address is insecure or no URL: %j', async (address) => {
    const { hook } = await open()
    const error = await refusal(hook({ url: () => address }).send(MESSAGE))
    expect(error).toMatchObject({ code: 'insecure_address', exitCode: 2 })
  })

  it('gets nothing if its certificate is untrusted', async () => {
    const { certificate: cert, key } = selfSigned('127.0.0.1')
    let asked = 0
    const server = createServer({ cert, key }, (_request, response) => {
      asked++
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    closers.push(() => new Promise((resolve) => void server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    const { hook } = await open()
    const error = await refusal(hook({ url: () => `https://127.0.0.1:${port}/` }).send(MESSAGE))
    expect(error.message).toContain('SELF_SIGNED')
    expect(asked).toBe(0)
  })
})

describe('the health ping', () => {
  it('requests its address, and fails if the answer is no 2xx', async () => {
    const { url, taken, state, clock } = await open()
    const settings = { alerts: { ping: new Secret(`${url}${PATH}`) } }
    const ping = openPing(settings as unknown as Config, { clock })
    await ping?.()
    expect(taken).toMatchObject([{ method: 'GET', path: PATH, body: '' }])
    state.answer = 404
    const error = await refusal(Promise.resolve(ping?.()))
    expect(error.message).toContain('alerts.ping')
    expect(error.message).toContain('404')
  })
})
