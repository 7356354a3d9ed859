import { describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import type { SandboxOptions } from '../../src/sandbox/options.ts'
import { type Caller, oauthCaller } from './caller.ts'
import { SMALL_SIZES } from './streams.ts'

const PATH = '/whiteboards/classification_labels'
const LABEL = { name: 'Ours', color: '#1A9C4B', sensitivity_level: 3 }

describe('classification labels', () => {
  it('can be made, and only one is the default', () =>
    withCaller({}, async (caller) => {
      const before = await labelsOf(caller)
      const made = await caller.send('POST', PATH, { ...LABEL, is_default: true })
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({ ...LABEL, is_default: true })
      const id = String(made.body.classification_id)
      expect((await caller.get(`${PATH}/${id}`)).body).toMatchObject(LABEL)
      const after = await labelsOf(caller)
      expect(after).toHaveLength(before.length + 1)
      const defaults = after.filter(({ is_default }) => is_default === true)
      expect(defaults.map(({ classification_id }) => classification_id)).toEqual([id])
    }))

  it('are thirty at most', () =>
    withCaller({}, async (caller) => {
      const { length } = await labelsOf(caller)
      for (let made = length; made < 30; made++)
        expect((await caller.send('POST', PATH, LABEL)).status).toBe(201)
      const { status, body } = await caller.send('POST', PATH, LABEL)
      expect({ status, code: body.code }).toEqual({ status: 409, code: 34006 })
    }))

  it('need their fields, an ID that is known, and the feature', async () => {
    await withCaller({}, async (caller) => {
      const { status, body } = await caller.send('POST', PATH, { ...LABEL, color: 'red' })
      expect({ status, code: body.code }).toEqual({ status: 400, code: 34002 })
      expect(body.errors).toMatchObject([{ field: 'color' }])
      expect((await caller.send('POST', PATH)).status).toBe(400)
      expect(await caller.get(`${PATH}/cl-none`)).toMatchObject({
        status: 404,
        body: { code: 34005 },
      })
    })
    await withCaller({ switches: { classification: false } }, async (caller) =>
      expect(await caller.get(PATH)).toMatchObject({ status: 403, body: { code: 34004 } }),
    )
  })
})

async function labelsOf(caller: Caller): Promise<Record<string, unknown>[]> {
  return (await caller.get(PATH)).body.labels as Record<string, unknown>[]
}

async function withCaller(
  options: SandboxOptions,
  work: (caller: Caller, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({ sizes: SMALL_SIZES, ...options })
  try {
    await work(await oauthCaller(sandbox), sandbox)
  } finally {
    await sandbox.close()
  }
}
