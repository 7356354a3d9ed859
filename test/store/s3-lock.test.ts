import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { frozenClock } from '../../src/core/time/clock.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import type { S3Options } from '../../src/store/s3-client.ts'
import { createS3Store } from '../../src/store/s3-store.ts'
import { bucketAt } from './bucket.ts'
import { type LockingServer, refuse, serveLocking } from './locking-server.ts'
import { hashOf, keep } from './store-contract.ts'

const NOW = Date.parse('2026-07-08T02:30:00Z')
const FILE = Buffer.from('an archived activity')
const NAME = hashOf(FILE)

let server: LockingServer
let folder: string
beforeEach(async () => {
  server = await serveLocking()
  folder = mkdtempSync(join(tmpdir(), 'callsheet-lock-'))
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const storeWith = (changes: Partial<S3Options> = {}) =>
  createS3Store(
    bucketAt(server.endpoint, folder).options('main', { clock: frozenClock(NOW), ...changes }),
  )
const opened = async (changes: Partial<S3Options> = {}) => {
  const store = storeWith(changes)
  await store.open()
  return store
}
const kept = () => server.versions.get(`callsheet/main/${NAME.slice(0, 2)}/${NAME}`) ?? []

describe('the object lock of a bucket', () => {
  it('is requested for files and notes, counted from the given clock', async () => {
    const store = await opened({ lockDays: 30 })
    await keep(store, FILE)
    expect(kept().map(({ lockedUntilMs }) => lockedUntilMs)).toEqual([NOW + 30 * DAY_MS])
    expect(await store.lockedUntilMs?.(NAME)).toBe(NOW + 30 * DAY_MS)
    await store.keepNote('note-1.json', '{}')
    const notes = server.versions.get('callsheet/main/notes/note-1.json')
    expect(notes?.map(({ lockedUntilMs }) => lockedUntilMs)).toEqual([NOW + 30 * DAY_MS])
  })

  it('is extended, and never shortened, if the same content is stored later', async () => {
    await keep(await opened({ lockDays: 30 }), FILE)
    await keep(await opened({ lockDays: 90 }), FILE)
    await keep(await opened({ lockDays: 10 }), FILE)
    expect(kept().map(({ lockedUntilMs }) => lockedUntilMs)).toEqual([NOW + 90 * DAY_MS])
  })

  it('prevents the removal of a file, and the error gives its end', async () => {
    await keep(await opened({ lockDays: 30 }), FILE)
    await expect(storeWith().remove(NAME)).rejects.toMatchObject({
      code: 'store_locked',
      facts: { came: "the bucket's object lock protects it until 2026-08-07T02:30:00.000Z" },
    })
    expect(kept()).toHaveLength(1)
    const later = storeWith({ lockDays: 30, clock: frozenClock(NOW + 31 * DAY_MS) })
    expect(await later.lockedUntilMs?.(NAME)).toBeUndefined()
  })

  it('is reported even if the configuration asks for none', async () => {
    await keep(await opened({ lockDays: 30 }), FILE)
    expect(await storeWith().lockedUntilMs?.(NAME)).toBe(NOW + 30 * DAY_MS)
  })

  it('that the bucket does not support is an error when the store is opened', async () => {
    await server.close()
    server = await serveLocking({ locking: false })
    await expect(storeWith({ lockDays: 30 }).open()).rejects.toMatchObject({
      code: 'store_without_lock',
      facts: { came: expect.stringContaining('the bucket has no object lock') as string },
    })
    await storeWith().open()
  })
})

describe('a bucket that keeps versions', () => {
  it('removes all versions of an object, also those that a marker hides', async () => {
    const store = await opened()
    await keep(store, FILE)
    await store.remove(NAME)
    expect(kept()).toEqual([])
    await keep(store, FILE)
    await fetch(`${server.endpoint}/archive-bucket/callsheet/main/${NAME.slice(0, 2)}/${NAME}`, {
      method: 'DELETE',
    })
    expect(kept()).toHaveLength(2)
    await store.remove(NAME)
    expect(kept()).toEqual([])
  })
})

describe('a bucket service that fails during a write', () => {
  const breaking = (method: string, act: (response: ServerResponse) => void, times = Infinity) => {
    let left = times
    server.disturb = (request: IncomingMessage, response) => {
      if (request.method !== method || left-- <= 0) return false
      act(response)
      return true
    }
  }

  it('by closing one connection gets the request again', async () => {
    const store = await opened()
    breaking('PUT', (response) => response.destroy(), 1)
    await keep(store, FILE)
    expect(kept()).toHaveLength(1)
  })

  it('by closing every connection stores nothing, and the draft is removed', async () => {
    const store = await opened()
    breaking('PUT', (response) => response.destroy())
    await expect(keep(store, FILE)).rejects.toMatchObject({ code: 'store_unreachable' })
    expect(kept()).toEqual([])
    expect(readdirSync(join(folder, 'drafts', 'main'))).toEqual([])
  })

  it.each([
    ['a wrong secret', 403, 'SignatureDoesNotMatch', 'store_refused'],
    ['a missing permission', 403, 'AccessDenied', 'store_refused'],
    ['a wrong clock', 403, 'RequestTimeTooSkewed', 'store_refused'],
    ['a full disk', 507, 'XMinioStorageFull', 'store_full'],
    ['too many requests', 503, 'SlowDown', 'store_unreachable'],
    ['bytes changed in transit', 400, 'BadDigest', 'store_damaged'],
    ['an unknown code', 400, 'WhateverThatIs', 'store_failed'],
  ])('with %s is reported without the key', async (_what, status, code, ours) => {
    const store = await opened()
    breaking('PUT', (response) => refuse(response, status, code))
    const error = await keep(store, FILE).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: ours,
      message: expect.stringContaining(`[${status} ${code}]`),
    })
    expect(JSON.stringify(error)).not.toMatch(/S3RVER|AWS4/)
    expect(kept()).toEqual([])
  })

  it('by refusing writes is reported when the store is opened', async () => {
    breaking('POST', (response) => refuse(response, 403, 'AccessDenied'))
    await expect(storeWith().open()).rejects.toMatchObject({
      code: 'store_refused',
      facts: { tried: 'Trying to write to bucket archive-bucket' },
    })
  })
})
