import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../sandbox/server/server.ts'
import type { Caller } from '../caller.ts'
import { asked, coded, rowsOf, withCaller } from '../with-caller.ts'

const PATH = '/whiteboards/classification_labels'
const LABEL = { name: 'Ours', color: '#1A9C4B', sensitivity_level: 3 }

describe('classification labels', () => {
  it('can be created, and only one is the default', () =>
    withCaller({}, async (caller) => {
      const before = await labelsOf(caller)
      const made = await caller.send('POST', PATH, { ...LABEL, is_default: true })
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({ ...LABEL, is_default: true })
      const id = String(made.body.classification_id)
      expect((await caller.get(`${PATH}/${id}`)).body).toMatchObject(LABEL)
      const after = await labelsOf(caller)
      expect(after).toHaveLength(before.length + 1)
      expect(defaultsOf(after)).toEqual([id])
    }))

  it('are limited to thirty', () =>
    withCaller({}, async (caller) => {
      const { length } = await labelsOf(caller)
      for (let made = length; made < 30; made++)
        expect((await caller.send('POST', PATH, LABEL)).status).toBe(201)
      expect(coded(await caller.send('POST', PATH, LABEL))).toEqual({ status: 409, code: 34006 })
      const [last] = (await labelsOf(caller)).slice(-1)
      expect((await remove(caller, idOf(last))).status).toBe(204)
      expect((await caller.send('POST', PATH, LABEL)).status).toBe(201)
    }))

  it('require valid fields, a known ID and the feature', async () => {
    await withCaller({}, async (caller) => {
      const { status, body } = await caller.send('POST', PATH, { ...LABEL, color: 'red' })
      expect({ status, code: body.code }).toEqual({ status: 400, code: 34002 })
      expect(body.errors).toMatchObject([{ field: 'color' }])
      expect((await caller.send('POST', PATH)).status).toBe(400)
      const missing = { status: 404, code: 34005 }
      expect(coded(await caller.get(`${PATH}/cl-none`))).toEqual(missing)
      expect(coded(await caller.send('PATCH', `${PATH}/cl-none`, LABEL))).toEqual(missing)
    })
    await withCaller({ switches: { classification: false } }, async (caller) => {
      const off = { status: 403, code: 34004 }
      expect(coded(await caller.get(PATH))).toEqual(off)
      expect(coded(await remove(caller, 'cl-none'))).toEqual(off)
    })
  })

  it('can be read, but not changed, without the right to manage them', () =>
    withCaller({ switches: { managesLabels: false } }, async (caller) => {
      const forbidden = { status: 403, code: 34003 }
      const [label] = await labelsOf(caller)
      const path = `${PATH}/${idOf(label)}`
      expect((await caller.get(path)).status).toBe(200)
      expect(coded(await caller.send('POST', PATH, LABEL))).toEqual(forbidden)
      expect(coded(await caller.send('PATCH', path, LABEL))).toEqual(forbidden)
      expect(coded(await caller.send('DELETE', path))).toEqual(forbidden)
    }))

  it('that are reserved for the owner can be neither changed nor deleted', () =>
    withCaller({}, async (caller) => {
      const labels = await labelsOf(caller)
      const refused = []
      for (const label of labels) {
        const { status, body } = await caller.send('PATCH', `${PATH}/${idOf(label)}`, LABEL)
        if (status !== 204) refused.push({ label, status, code: body.code })
      }
      expect(refused).toMatchObject([{ status: 403, code: 34008 }])
      const id = idOf(refused[0]?.label)
      expect(coded(await remove(caller, id))).toEqual({ status: 403, code: 34008 })
      expect((await caller.get(`${PATH}/${id}`)).status).toBe(200)
      expect(refused[0]?.label.is_default).toBe(false)
    }))
})

describe('a deleted label', () => {
  it('no longer exists, and no board has it', () =>
    withCaller({}, async (caller, sandbox) => {
      const [first] = await labelsOf(caller)
      const id = idOf(first)
      const carried = async () =>
        (await boardLabelsOf(sandbox)).filter(({ classification_id: on }) => on === id).length
      expect(await carried()).toBe(first?.whiteboard_count)
      expect(await carried()).toBeGreaterThan(0)
      const { status, text } = await remove(caller, id)
      expect({ status, text }).toEqual({ status: 204, text: '{}' })
      expect(await carried()).toBe(0)
      expect(coded(await caller.get(`${PATH}/${id}`))).toEqual({ status: 404, code: 34005 })
      expect(coded(await remove(caller, id))).toEqual({ status: 404, code: 34002 })
      const truth = await rowsOf(sandbox, 'classification_labels')
      expect(truth.some(({ classification_id: there }) => there === id)).toBe(false)
      const made = await caller.send('POST', PATH, LABEL)
      expect(made.body.classification_id).not.toBe(id)
    }))
})

describe('a change of a label', () => {
  it('is a draft that nobody sees until it is published', () =>
    withCaller({}, async (caller, sandbox) => {
      const [before] = await labelsOf(caller)
      const path = `${PATH}/${idOf(before)}`
      const told = (await caller.get(path)).body
      const truth = await rowsOf(sandbox, 'classification_labels')
      expect((await caller.send('PATCH', path, { name: 'New name' })).status).toBe(204)
      expect((await caller.send('PATCH', path, { color: '#000000' })).status).toBe(204)
      expect((await caller.get(path)).body).toEqual(told)
      expect((await labelsOf(caller))[0]).toEqual(before)
      expect(await rowsOf(sandbox, 'classification_labels')).toEqual(truth)
      sandbox.advance(60_000)
      expect(await asked(sandbox, 'POST', 'publish-labels')).toMatchObject({
        classification_labels: { inserted: 0, updated: 1, deleted: 0 },
      })
      const after = (await caller.get(path)).body
      expect(after).toMatchObject({ name: 'New name', color: '#000000' })
      expect(after.modify_time).not.toBe(told.modify_time)
      expect({ ...after, name: told.name, color: told.color, modify_time: 0 }).toEqual({
        ...told,
        modify_time: 0,
      })
      expect(await asked(sandbox, 'POST', 'publish-labels')).toMatchObject({
        classification_labels: { inserted: 0, updated: 0, deleted: 0 },
      })
    }))

  it('leaves exactly one default label, even if several drafts set one', () =>
    withCaller({}, async (caller, sandbox) => {
      const ids = []
      for (const name of ['A', 'B', 'C']) {
        const { body } = await caller.send('POST', PATH, { ...LABEL, name })
        ids.push(String(body.classification_id))
      }
      const before = defaultsOf(await labelsOf(caller))
      expect(before).toHaveLength(1)
      for (const id of [ids[2], ids[0], ids[1]])
        await caller.send('PATCH', `${PATH}/${id ?? ''}`, { is_default: true })
      expect(defaultsOf(await labelsOf(caller))).toEqual(before)
      await asked(sandbox, 'POST', 'publish-labels')
      expect(defaultsOf(await labelsOf(caller))).toEqual([ids[1]])
      sandbox.mutate({ ops: [{ kind: 'boards', action: 'add', patch: { createdMs: 0 } }] })
      const [made] = (await boardLabelsOf(sandbox)).slice(-1)
      expect(made?.classification_id).toBe(ids[1])
    }))

  it.each([
    { what: 'no field', body: {}, field: 'body' },
    { what: 'a guideline over plain HTTP', body: { guideline_url: 'http://a.example/' } },
    { what: 'a guideline that is not a URL', body: { guideline_url: 'a.example' } },
    { what: 'a color by name', body: { color: 'green' } },
    { what: 'a fractional level', body: { sensitivity_level: 1.5 } },
    { what: 'an empty name', body: { name: '' } },
    { what: 'an unknown field', body: { create_time: 'now' }, field: 'body' },
  ])('is refused with $what', ({ body, field = Object.keys(body)[0] }) =>
    withCaller({}, async (caller, sandbox) => {
      const [first] = await labelsOf(caller)
      const refused = await caller.send('PATCH', `${PATH}/${idOf(first)}`, body)
      expect(coded(refused)).toEqual({ status: 400, code: 34002 })
      expect(refused.body.errors).toMatchObject([{ field }])
      await asked(sandbox, 'POST', 'publish-labels')
      expect((await labelsOf(caller))[0]).toEqual(first)
    }),
  )

  it('may name a guideline over HTTPS', () =>
    withCaller({}, async (caller) => {
      const [first] = await labelsOf(caller)
      const guideline_url = 'https://a.example/rules'
      const { status } = await caller.send('PATCH', `${PATH}/${idOf(first)}`, { guideline_url })
      expect(status).toBe(204)
    }))
})

type Label = Record<string, unknown>

async function labelsOf(caller: Caller): Promise<Label[]> {
  return (await caller.get(PATH)).body.labels as Label[]
}

function defaultsOf(labels: readonly Label[]): unknown[] {
  return labels.filter(({ is_default }) => is_default === true).map((label) => idOf(label))
}

function idOf(label: Label | undefined): string {
  return String(label?.classification_id)
}

async function remove(caller: Caller, id: string) {
  const answer = await caller.send('DELETE', `${PATH}/${id}`)
  return { ...answer, text: JSON.stringify(answer.body) }
}

async function boardLabelsOf(sandbox: Sandbox) {
  return (await asked(sandbox, 'GET', 'board-labels')) as {
    whiteboard_id: string
    classification_id: string | null
  }[]
}
