import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, resetAtOnce, send } from '../api/fault-server.ts'
import { type CallBench, openCallBench } from './call-bench.ts'

let opened: CallBench
beforeAll(async () => void (opened = await openCallBench()))
afterEach(() => opened.reset())
afterAll(() => opened.bench.close())

const ALLOCATION = { allocated_product: 'SVC_PHONE', numbers: ['n-1', 'n-2'], site_id: 's-1' }
const allocate = (...more: string[]) =>
  opened.call('phone_numbers.allocate', '--body', JSON.stringify(ALLOCATION), ...more)

describe('a write with callsheet call', () => {
  it('is previewed, and sent only with --yes', async () => {
    const { requests } = await opened.serve(send(204))
    const { code, stdout, stderr } = await allocate()
    expect(code).toBe(2)
    expect(stdout).toContain('PATCH /number_management/allocation')
    expect(stdout).toContain('"site_id": "s-1"')
    expect(stderr).toContain('Nothing was sent')
    expect(requests).toEqual([])
    expect(await opened.entered()).toBeUndefined()
  })

  it('is sent unchanged and recorded with its requester and the response', async () => {
    const { requests } = await opened.serve(send(204))
    writeFileSync(join(opened.bench.folder, 'body.json'), JSON.stringify(ALLOCATION))
    const { code, stdout } = await opened.call(
      'phone_numbers.allocate',
      '-b',
      '@body.json',
      '--yes',
    )
    expect(code).toBe(0)
    expect(stdout).toContain('Done (HTTP 204).')
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method: 'PATCH', path: '/v2/number_management/allocation' })
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(ALLOCATION)
    expect(await opened.entered()).toMatchObject({
      operation: 'phone_numbers.allocate',
      asked_by: expect.stringMatching(/^\w+@./) as string,
      body: ALLOCATION,
      state: 'done',
      status: 204,
      tracking_id: 'T-1',
      ended: true,
    })
  })

  it('is sent in the service’s terms, and recorded in the documented ones', async () => {
    const { url, requests } = await opened.serve(send(204))
    opened.bench.configure({ account: [`baseUrl: ${url}`, 'words: {svc: acme}'] })
    const shown = await allocate()
    expect(shown.stdout).toContain('"allocated_product": "ACME_PHONE"')
    expect((await allocate('--yes')).code).toBe(0)
    const sent = JSON.parse(requests[0]?.body ?? '') as unknown
    expect(sent).toEqual({ ...ALLOCATION, allocated_product: 'ACME_PHONE' })
    expect(await opened.entered()).toMatchObject({ body: ALLOCATION, state: 'done' })
  })

  it('repeats the name of a parameter that is a list', async () => {
    const { requests } = await opened.serve(send(204))
    await opened.call('phone_numbers.delete', '-p', 'numbers=a', '-p', 'numbers=b', '--yes')
    expect(requests[0]?.path).toBe('/v2/number_management/numbers?numbers=a&numbers=b')
  })

  it('keeps its secrets out of the preview and the record', async () => {
    const { requests } = await opened.serve(send(201, { id: 'l-1', name: 'l' }))
    const access_key = { id: 'key-id', key: 'canary-key' }
    const s3 = {
      access_key,
      authentication_mechanism: 'objstore_access_key',
      bucket: 'b',
      region: 'r',
    }
    const body = JSON.stringify({ name: 'l', provider: 'objstore_s3', s3 })
    const { code, stdout, stderr } = await opened.call(
      'storage_locations.create',
      '-b',
      body,
      '--yes',
    )
    expect(code).toBe(0)
    expect(requests[0]?.body).toContain('canary-key')
    expect(stdout + stderr).not.toContain('canary')
    const book = await opened.entered()
    expect(book).toMatchObject({ state: 'done', body: { name: 'l', s3: { bucket: 'b' } } })
    expect(JSON.stringify(book)).not.toContain('canary')
  })

  it('that is refused is explained, and recorded as refused', async () => {
    await opened.serve(send(400, { code: '1002_010', message: 'Site does not exist.' }))
    const { code, stderr } = await allocate('--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('there is no such site')
    expect(await opened.entered()).toMatchObject({
      state: 'refused',
      status: 400,
      code: '1002_010',
    })
  })

  it.each([
    ['got no response', resetAtOnce, null],
    ['got a server error', send(502, 'bad gateway'), 502],
  ])('that %s is not sent again, because its result is unknown', async (_what, answer, status) => {
    const { requests } = await opened.serve(answer, send(204))
    const { code, stderr } = await allocate('--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('check in the service whether the change was made')
    expect(requests).toHaveLength(1)
    expect(await opened.entered()).toMatchObject({ state: 'unknown', status, ended: true })
  })

  it('that is interrupted waits for its response, and reports the result', async () => {
    let answer = (): void => {}
    const held: Answer = (request, response) => {
      answer = () => send(204)(request, response)
    }
    const { requests } = await opened.serve(held)
    const body = JSON.stringify(ALLOCATION)
    const { child, ended } = opened.bench.start(
      'call',
      'phone_numbers.allocate',
      '-b',
      body,
      '--yes',
    )
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGINT')
    child.stderr?.on('data', () => answer())
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(stdout).toContain('Done (HTTP 204).')
    expect(await opened.entered()).toMatchObject({ state: 'done', status: 204 })
  })

  it('with some failed items shows each reason, and is recorded as partly done', async () => {
    const reason = 'Invalid trunk of Dana, dana@corp.example.'
    const message = [{ phoneNumber: '+14155550100', reason }]
    await opened.serve(send(400, { code: 1000, message }))
    const { code, stderr } = await allocate('--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('some items failed')
    expect(stderr).toContain(`+14155550100: ${reason}`)
    const book = await opened.entered()
    expect(book).toMatchObject({ state: 'partly', status: 400, code: '1000' })
    expect(JSON.stringify(book)).toContain('Invalid trunk of <name>')
    expect(JSON.stringify(book)).not.toMatch(/dana|4155550100/i)
    await opened.serve(send(400, { code: 1000, message: JSON.stringify(message) }))
    const json = JSON.parse((await allocate('--yes', '--json')).stdout) as object
    expect(json).toMatchObject({ error: { details: message } })
    expect((await opened.bench.run('status')).stdout).toContain('some of its items failed')
  })

  it('that lacks a scope is recorded as refused', async () => {
    const message = 'Invalid access token, does not contain scopes:[number_management:write].'
    await opened.serve(send(400, { code: 4711, message }))
    const { stderr } = await allocate('--yes')
    expect(stderr).toContain('number_management:write')
    expect(await opened.entered()).toMatchObject({
      state: 'refused',
      status: 400,
      tracking_id: 'T-1',
    })
  })

  it('that no server received is recorded as not sent', async () => {
    const { close } = await opened.serve(send(204))
    await close()
    expect((await allocate('--yes')).code).toBe(1)
    expect(await opened.entered()).toMatchObject({ state: 'not_sent', status: null, ended: true })
  })

  it('with text that the database cannot store is still sent', async () => {
    const { requests } = await opened.serve(send(201, { added: 1, updated: 0, page_id: 'p' }))
    const body = String.raw`{"content_objects":[{"text":"a\u0000b\ud800"}]}`
    const { code } = await opened.call(
      'whiteboard_content.save',
      '-p',
      'whiteboardId=w',
      '-b',
      body,
      '-y',
    )
    expect(code).toBe(0)
    expect(requests[0]?.body).toBe(body)
    expect(await opened.entered()).toMatchObject({ state: 'done', status: 201 })
  })

  it('that exceeds the rate limit is sent again', async () => {
    const message = 'You have reached the maximum per-second rate limit for this API.'
    const { requests } = await opened.serve(send(429, { code: 429, message }), send(204))
    expect((await allocate('--yes')).code).toBe(0)
    expect(requests).toHaveLength(2)
    expect(await opened.entered()).toMatchObject({ state: 'done', status: 204 })
  })

  it('with a 200 that contains a known error is recorded as refused', async () => {
    await opened.serve(send(200, { code: 200, message: 'You do not have the right permissions.' }))
    const recover = ['-p', 'sessionId=s/1', '-b', '{"action":"recover"}', '--yes']
    const { code, stderr } = await opened.call('recordings.recover', ...recover)
    expect(code).toBe(1)
    expect(stderr).toContain('code 200')
    expect(await opened.entered()).toMatchObject({ state: 'refused', status: 200, code: '200' })
    await opened.serve(send(200, { code: 9999, message: 'Something.' }))
    expect((await opened.call('recordings.recover', ...recover)).code).toBe(1)
    expect(await opened.entered()).toMatchObject({ state: 'unknown', status: 200 })
  })
})
