import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SandboxOptions, Switches } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { type Caller, videoCaller } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'

const SETTINGS = '/videosdk/settings/storage'
const ALL = `${SETTINGS}/location`
const KEY = { id: 'canary-id', key: 'canary-key' }
const S3 = {
  access_key: KEY,
  authentication_mechanism: 'objstore_access_key',
  bucket: 'ours',
  region: 'eu-west-9',
}
const NEW = { name: 'Ours', provider: 'objstore_s3', s3: S3 }
const shown = {
  name: 'Ours',
  provider: 'objstore_s3',
  s3: { authentication_mechanism: 'objstore_access_key', bucket: 'ours', region: 'eu-west-9' },
}

describe('storage locations', () => {
  it('show in the list which one is selected, and in the detail their verification status', () =>
    withCaller({}, async (caller) => {
      const all = await listed(caller)
      expect(all.filter(({ selected }) => selected === true)).toHaveLength(1)
      expect(all.some((location) => 'verify_status' in location)).toBe(false)
      const told = new Set<unknown>()
      for (const { id, selected: _, ...rest } of all) {
        const { body } = await caller.get(`${ALL}/${String(id)}`)
        expect(body).toEqual({ id, ...rest, verify_status: body.verify_status })
        told.add(body.verify_status)
      }
      expect(told).toEqual(new Set(['success', 'failure']))
    }))

  it('can be created unselected, changed, selected and deleted', () =>
    withCaller({}, async (caller) => {
      const made = await caller.send('POST', ALL, NEW)
      expect(made.status).toBe(201)
      const id = String(made.body.id)
      expect(made.body).toEqual({ id, ...shown })
      expect(await at(caller, id)).toEqual({ id, ...shown, selected: false })
      const renamed = { name: 'Other', s3: { bucket: 'ours', region: 'eu-west-9' } }
      expect((await caller.send('PATCH', `${ALL}/${id}`, renamed)).status).toBe(204)
      expect((await caller.get(`${ALL}/${id}`)).body).toMatchObject({ name: 'Other' })
      const before = (await listed(caller)).find(({ selected }) => selected === true)
      expect((await select(caller, id)).status).toBe(204)
      expect(await at(caller, id)).toMatchObject({ selected: true })
      expect(await at(caller, String(before?.id))).toMatchObject({ selected: false })
      expect((await caller.send('DELETE', `${ALL}/${String(before?.id)}`)).status).toBe(204)
      expect(await at(caller, String(before?.id))).toBeUndefined()
    }))

  it('have the documented refusals', () =>
    withCaller({}, async (caller) => {
      const all = await listed(caller)
      const selected = String(all.find((location) => location.selected === true)?.id)
      const other = `${ALL}/${String(all.find((location) => location.selected !== true)?.id)}`
      const path = (id: string) => `${ALL}/${id}`
      const refusals: [string, string, unknown, number, number][] = [
        ['PATCH', SETTINGS, on(selected), 400, 400],
        ['PATCH', SETTINGS, on('loc-none'), 404, 3310],
        ['PATCH', SETTINGS, {}, 400, 400],
        ['PATCH', SETTINGS, undefined, 400, 400],
        ['GET', path('loc-none'), undefined, 404, 3310],
        ['DELETE', path('loc-none'), undefined, 404, 3310],
        ['PATCH', path('loc-none'), { name: 'x' }, 404, 3310],
        ['DELETE', path(selected), undefined, 405, 3312],
        ['PATCH', other, { s3: { bucket: 'another' } }, 400, 400],
        ['PATCH', other, { s3: { region: 'another' } }, 400, 400],
        ['PATCH', other, { provider: 'another' }, 400, 400],
        ['PATCH', other, { s3: { access_key: { id: 'unreachable', key: 'k' } } }, 400, 3313],
        ['POST', ALL, { ...NEW, s3: { ...S3, bucket: 'unreachable-1' } }, 400, 3313],
        ['POST', ALL, { ...NEW, s3: { ...S3, authentication_mechanism: 'role' } }, 400, 400],
        ['POST', ALL, { ...NEW, name: undefined }, 400, 400],
        ['POST', ALL, { ...NEW, s3: { ...S3, access_key: { id: 'only' } } }, 400, 400],
      ]
      for (const [method, where, body, status, code] of refusals) {
        const answer = await caller.send(method, where, body)
        expect({ method, where, body, status: answer.status, code: answer.body.code }).toEqual({
          method,
          where,
          body,
          status,
          code,
        })
      }
      expect(await listed(caller)).toEqual(all)
    }))

  it('cannot be selected while unreachable, until a working key is set', () =>
    withCaller({}, async (caller) => {
      let failing = ''
      for (const { id } of await listed(caller)) {
        const { body } = await caller.get(`${ALL}/${String(id)}`)
        if (body.verify_status === 'failure') failing = String(id)
      }
      expect(await select(caller, failing)).toMatchObject({ status: 400, body: { code: 3313 } })
      const mended = await caller.send('PATCH', `${ALL}/${failing}`, { s3: { access_key: KEY } })
      expect(mended.status).toBe(204)
      expect((await caller.get(`${ALL}/${failing}`)).body.verify_status).toBe('success')
      expect((await select(caller, failing)).status).toBe(204)
    }))
})

describe('customer-provided storage', () => {
  it('loses every location when it is turned off, and needs a new one to be turned on again', () =>
    withCaller({}, async (caller) => {
      const [first] = await listed(caller)
      expect((await caller.send('PATCH', SETTINGS, on())).status).toBe(204)
      const off = { bring_our_own_storage: false }
      expect((await caller.send('PATCH', SETTINGS, off)).status).toBe(204)
      for (const answer of [
        await caller.get(ALL),
        await caller.get(`${ALL}/${String(first?.id)}`),
        await caller.send('DELETE', `${ALL}/${String(first?.id)}`),
        await caller.send('PATCH', `${ALL}/${String(first?.id)}`, { name: 'x' }),
        await caller.send('PATCH', SETTINGS, on()),
      ])
        expect(answer).toMatchObject({ status: 403, body: { code: 3336 } })
      expect((await caller.send('PATCH', SETTINGS, off)).status).toBe(204)
      const { body } = await caller.send('POST', ALL, NEW)
      expect(await listed(caller)).toEqual([{ id: body.id, ...shown, selected: false }])
      expect(await caller.send('PATCH', SETTINGS, on())).toMatchObject({
        status: 400,
        body: { code: 400 },
      })
      expect((await select(caller, String(body.id))).status).toBe(204)
      expect(await at(caller, String(body.id))).toMatchObject({ selected: true })
    }))

  const lacking: [keyof Switches, number, number][] = [
    ['commercialCluster', 404, 404],
    ['beta', 404, 404],
    ['videoSessions', 400, 200],
    ['customerStorage', 403, 3335],
  ]
  it.each(lacking)(
    'is refused without the switch %s, with status %i and code %i',
    (name, status, code) =>
      withCaller({ switches: { [name]: false } }, async (caller) => {
        for (const [method, path] of [
          ['GET', ALL],
          ['GET', `${ALL}/loc-none`],
          ['POST', ALL],
          ['PATCH', `${ALL}/loc-none`],
          ['DELETE', `${ALL}/loc-none`],
          ['PATCH', SETTINGS],
        ] as const)
          expect(await caller.send(method, path)).toMatchObject({ status, body: { code } })
      }),
  )

  it('keeps its secrets out of its responses and out of the saved state', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sandbox-'))
    const stateFile = join(directory, 'state.json')
    let id = ''
    await withCaller({ stateFile }, async (caller) => {
      const made = await caller.send('POST', ALL, NEW)
      id = String(made.body.id)
      await caller.send('PATCH', `${ALL}/${id}`, { s3: { access_key: KEY } })
      await select(caller, id)
      const refused = await caller.send('PATCH', `${ALL}/${id}`, { s3: { access_key: [KEY] } })
      expect(refused.status).toBe(400)
      const answers = [made, refused, await caller.get(ALL), await caller.get(`${ALL}/${id}`)]
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain('canary')
    })
    const kept = readFileSync(stateFile, 'utf8')
    expect(kept).toContain('eu-west-9')
    expect(kept).not.toContain('canary')
    await withCaller({ stateFile }, async (caller) =>
      expect(await at(caller, id)).toEqual({ id, ...shown, selected: true }),
    )
    rmSync(directory, { recursive: true })
  })
})

async function listed(caller: Caller): Promise<Record<string, unknown>[]> {
  return (await caller.get(ALL)).body as unknown as Record<string, unknown>[]
}

async function at(caller: Caller, wanted: string): Promise<object | undefined> {
  return (await listed(caller)).find(({ id }) => id === wanted)
}

function on(storage_location_id?: string): object {
  return { bring_our_own_storage: true, storage_location_id }
}

function select(caller: Caller, id: string) {
  return caller.send('PATCH', SETTINGS, on(id))
}

async function withCaller(
  options: SandboxOptions,
  work: (caller: Caller, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ sizes: SMALL_SIZES, ...options })
  try {
    await work(videoCaller(sandbox), sandbox)
  } finally {
    await sandbox.close()
  }
}
