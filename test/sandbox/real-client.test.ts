import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import type { Client } from '../../src/api/client.ts'
import { type CallArguments, type Operation, successOf } from '../../src/core/define/operation.ts'
import { operations } from '../../src/resources/declared.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { fetchToken, videoToken } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'
import type { Listed } from './video-bench.ts'

let sandbox: Sandbox
let client: Client
let close: () => Promise<void>

beforeAll(async () => {
  sandbox = await startSandbox({
    nowMs: Date.parse('2026-06-10T09:00:00Z'),
    sizes: SMALL_SIZES,
    recordingBytes: 100,
  })
  const { body } = await fetchToken(sandbox)
  const oauth = bearer(String(body.access_token))
  const authorities = { oauth, jwt: bearer(videoToken(sandbox)) }
  ;({ client, close } = clientUnderTest(sandbox.baseUrl, { authorities }))
})
afterAll(async () => {
  await close()
  await sandbox.close()
})

function bearer(value: string) {
  const current = async () => ({ value, version: 1 })
  return { current, replace: current }
}

/** Calls an operation with the real client. Checks the request and the response against its declaration. */
async function call(id: string, args: CallArguments = {}, body?: object): Promise<unknown> {
  const operation = operationOf(id)
  operation.query.parse(args.query ?? {})
  if (body !== undefined) operation.body?.parse(body)
  const answer = await client.call(operation, args, body === undefined ? {} : { body })
  const { status } = successOf(operation)
  expect(answer.status).toBe(status)
  if (status === 204) expect(answer.body).toBeUndefined()
  else operation.response.parse(answer.body)
  called.add(id)
  return answer.body
}

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`no operation ${id}`)
  return found
}

const called = new Set<string>()
const window = { from: '2026-05-12', to: '2026-06-10' }

describe('the sandbox’s responses fit the client’s schemas', () => {
  it('for storage', async () => {
    const s3 = {
      access_key: { id: 'i', key: 'k' },
      authentication_mechanism: 'objstore_access_key',
      bucket: 'b',
      region: 'r',
    }
    const made = await call(
      'storage_locations.create',
      {},
      { name: 'n', provider: 'objstore_s3', s3 },
    )
    const storageLocationId = (made as { id: string }).id
    const path = { storageLocationId }
    await call('storage_locations.update', { path }, { name: 'm' })
    await call('storage_locations.get', { path })
    expect(await call('storage_locations.list')).toHaveLength(10)
    await call(
      'storage_settings.update',
      {},
      {
        bring_our_own_storage: true,
        storage_location_id: storageLocationId,
      },
    )
    await call('storage_settings.update', {}, { bring_our_own_storage: false })
    const other = (await call(
      'storage_locations.create',
      {},
      { name: 'n', provider: 'objstore_s3', s3 },
    )) as { id: string }
    await call('storage_locations.delete', { path: { storageLocationId: other.id } })
  })

  it('for recordings, also with slashes or plus signs in the session ID', async () => {
    const query = { ...window, page_size: 300 }
    const { sessions } = (await call('recordings.list', { query })) as { sessions: Listed[] }
    const awkward = sessions.filter(({ session_id }) => /[/+]/.test(session_id))
    expect(awkward.length).toBeGreaterThan(3)
    for (const { session_id: sessionId, recording_files } of awkward.slice(0, 5)) {
      const path = { sessionId, recordingId: recording_files[0]?.id ?? '' }
      const { include_fields, ...more } = { include_fields: 'download_access_token', ttl: 0 }
      const one = { path, query: { include_fields, ...more } }
      expect(await call('recordings.get', one)).toHaveProperty('download_access_token')
      await call('recording_files.delete', { path, query: { action: 'trash' } })
      await call('recording_files.recover', { path }, { action: 'recover' })
      await call('recordings.delete', { path })
      await call('recordings.list', { query: { trash: true, trash_type: 'session_recordings' } })
      await call('recordings.recover', { path }, { action: 'recover' })
    }
    const args = { path: { sessionId: awkward[0]?.session_id ?? '' } }
    expect(await client.fetchDetail(operationOf('recordings.get'), args)).toMatchObject({
      state: 'found',
    })
    await call('recordings.delete', { ...args, query: { action: 'delete' } })
    expect(await client.fetchDetail(operationOf('recordings.get'), args)).toMatchObject({
      state: 'deleted',
    })
  })

  it('for sessions', async () => {
    for (const type of ['past', 'live'])
      await call('session_reports.list', { query: { ...window, type } })
    const numbers: string[] = []
    for (let made = 0; made < 4; made++) {
      const body = { session_name: 's', session_password: 'a1' }
      const created = await call('sessions.create', {}, body)
      numbers.push(JSON.stringify((created as { session_number: unknown }).session_number))
    }
    // The client keeps the digits of the response, also beyond 2^53.
    expect(numbers.every((digits) => /^\d{9,16}$/.test(digits))).toBe(true)
    expect(numbers.some((digits) => !Number.isSafeInteger(Number(digits)))).toBe(true)
  })

  it('for users and the token’s owner', async () => {
    for (const status of ['active', 'inactive', 'pending'])
      await call('users.list', { query: { status, page_size: 300 } })
    await call('users.get', { path: { userId: 'me' } })
    await call('me.update', {}, { dept: 'Depot' })
    expect(await call('me.token')).toHaveProperty('token')
    await call('me.meetings.list')
    await call('me.meetings.create', {}, { topic: 't' })
  })

  it('for every operation on sessions, recordings, storage and users', () => {
    const own = operations.filter(({ path }) => /^\/(videosdk|users)/.test(path))
    const files = ['recordings.download']
    expect([...called, ...files].toSorted()).toEqual(own.map(({ id }) => id).toSorted())
  })
})

describe('the client reports errors', () => {
  const missing = { path: { sessionId: 'none' } }
  it.each([
    ['recordings.delete', missing, undefined, 404, '3301'],
    ['recordings.recover', missing, { action: 'recover' }, 404, '3301'],
    ['storage_locations.get', { path: { storageLocationId: 'loc-none' } }, undefined, 403, '3336'],
    ['storage_settings.update', {}, { bring_our_own_storage: true }, 403, '3336'],
    ['users.get', { path: { userId: 'nobody' } }, undefined, 404, '1001'],
  ] as const)('in %s', async (id, args, body, status, code) => {
    const asked = client.call(operationOf(id), args, body === undefined ? {} : { body })
    await expect(asked).rejects.toMatchObject({ status, serviceCode: code })
    const declared = operationOf(id).errors?.filter((error) => error.status === status)
    expect(declared?.map((error) => error.code)).toContain(code)
  })

  it('in the body of a recovery that is answered with 200', async () => {
    const { sessions } = (await call('recordings.list', { query: window })) as {
      sessions: Listed[]
    }
    const id = sessions[0]?.session_id ?? ''
    const patch = { unrecoverable: true }
    sandbox.mutate({ ops: [{ kind: 'recordings', action: 'change', id, patch }] })
    const path = { sessionId: id }
    await call('recordings.delete', { path })
    const asked = client.call(
      operationOf('recordings.recover'),
      { path },
      {
        body: { action: 'recover' },
      },
    )
    await expect(asked).rejects.toMatchObject({ status: 200, serviceCode: '200' })
  })
})
