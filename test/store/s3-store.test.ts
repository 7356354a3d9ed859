import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoreError } from '../../src/core/errors.ts'
import { createS3Store } from '../../src/store/s3-store.ts'
import { BUCKET, type Bucket, openBucket } from './bucket.ts'
import { all, bytesOf, itKeepsFiles, keep } from './store-contract.ts'

itKeepsFiles(
  'of a bucket',
  async () => {
    const bucket = await openBucket()
    return {
      store: (account) => createS3Store(bucket.options(account)),
      damage(account, sha256, content) {
        const served = join(bucket.folder, 'served', BUCKET, 'callsheet', account)
        const folder = join(served, sha256.slice(0, 2))
        const [file = ''] = readdirSync(folder).filter((name) => name.includes('object'))
        writeFileSync(join(folder, file), content)
      },
      close: bucket.close,
    }
  },
  { largeBytes: 12 * 2 ** 20 },
)

describe('a bucket', () => {
  let bucket: Bucket
  beforeAll(async () => {
    bucket = await openBucket()
  })
  afterAll(() => bucket.close())

  it('lists more files than fit a page of the service', { timeout: 180_000 }, async () => {
    const store = createS3Store(bucket.options('many'))
    await store.open()
    const contents = Array.from({ length: 1_040 }, (_, n) => Buffer.from(`file ${n}`))
    for (let at = 0; at < contents.length; at += 20)
      await Promise.all(contents.slice(at, at + 20).map((content) => keep(store, content)))
    expect(new Set((await all(store)).map(({ sha256 }) => sha256)).size).toBe(1_040)
    await store.close()
  })

  it('uses only the key and the address of its options', async () => {
    const foreign = {
      AWS_ACCESS_KEY_ID: 'FOREIGN',
      AWS_SECRET_ACCESS_KEY: 'FOREIGN',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
      AWS_PROFILE: 'none-of-ours',
      AWS_REGION: 'xx-nowhere-9',
    }
    Object.assign(process.env, foreign)
    try {
      const store = createS3Store(bucket.options('alone'))
      await store.open()
      const sha256 = await keep(store, Buffer.from('alone'))
      expect((await bytesOf(store, sha256)).toString()).toBe('alone')
      await store.close()
    } finally {
      for (const name of Object.keys(foreign)) delete process.env[name]
    }
  })

  it('has drafts readable only by their owner, and removes those of a killed process', async () => {
    const options = bucket.options('private')
    const folder = join(options.temporaryDirectory, 'private')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, `draft-${crypto.randomUUID()}`), 'half of a file')
    writeFileSync(join(folder, 'not-ours.txt'), 'stays')
    const store = createS3Store(options)
    await store.open()
    expect(readdirSync(folder)).toEqual(['not-ours.txt'])
    const draft = await store.receive()
    const [name = ''] = readdirSync(folder).filter((file) => file.startsWith('draft-'))
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    await draft.discard()
    expect(readdirSync(folder)).toEqual(['not-ours.txt'])
    await store.close()
  })

  it('stores nothing if the bytes do not have the hash', async () => {
    const store = createS3Store(bucket.options('wrong'))
    await store.open()
    for (const size of [100, 6 * 2 ** 20]) {
      const draft = await store.receive()
      await draft.write(Buffer.alloc(size, 'a'))
      await expect(draft.keep('ab'.repeat(32))).rejects.toMatchObject({ code: 'store_damaged' })
    }
    expect(await all(store)).toEqual([])
    await store.close()
  })

  it('that disappears is reported as missing itself, never as a missing file', async () => {
    const own = await openBucket()
    const store = createS3Store(own.options())
    await store.open()
    const sha256 = await keep(store, Buffer.from('here'))
    rmSync(join(own.folder, 'served', BUCKET), { recursive: true })
    for (const failing of [
      () => keep(store, Buffer.from('more')),
      () => store.size(sha256),
      () => store.read(sha256),
      () => store.remove(sha256),
      () => all(store),
      () => store.keepNote('n', 'x'),
      () => createS3Store(own.options()).open(),
    ])
      await expect(failing()).rejects.toMatchObject({ code: 'store_missing' })
    expect(readdirSync(join(own.folder, 'drafts', 'main'))).toEqual([])
    mkdirSync(join(own.folder, 'served', BUCKET))
    await keep(store, Buffer.from('more'))
    expect(await all(store)).toHaveLength(1)
    await store.close()
    await own.close()
  })
})

describe('opening the store fails without printing the secret in the error:', () => {
  let bucket: Bucket
  beforeAll(async () => {
    bucket = await openBucket()
  })
  afterAll(() => bucket.close())

  it.each([
    ['a bucket that does not exist', { bucket: 'nowhere' }, 'store_missing'],
    [
      'a key that is not known',
      { accessKeyId: 'NOBODY', secretAccessKey: 'wrong-secret-7' },
      'store_refused',
    ],
    ['an address without a server', { endpoint: 'http://127.0.0.1:1' }, 'store_unreachable'],
    ['a lock that the server does not support', { lockDays: 30 }, 'store_without_lock'],
  ])('%s', async (_what, changes, code) => {
    const store = createS3Store(bucket.options('main', changes))
    const error = await store.open().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ code, facts: { todo: expect.stringMatching(/\w/) } })
    expect(JSON.stringify(error)).not.toMatch(/wrong-secret-7|NOBODY|S3RVER/)
    expect((error as Error).cause).toBeUndefined()
    await store.close()
  })
})
