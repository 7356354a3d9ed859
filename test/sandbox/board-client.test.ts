import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { checkCall } from '../../src/core/define/check-call.ts'
import { type CallArguments, type Operation, successOf } from '../../src/core/define/operation.ts'
import { operations } from '../../src/resources/declared.ts'
import { type ClientUnderTest, clientUnderTest } from '../api/client-under-test.ts'
import { DOCUMENTED } from '../conformance/documented.ts'
import { fetchToken } from './caller.ts'
import { SMALL_SIZES } from './sizes.ts'
import { boardWith, CALLED_AT, rowsOf } from './with-caller.ts'

/** The documented whiteboard calls, except the download of an activity's file, which has its own address. */
const boardCalls = DOCUMENTED.filter(
  ({ document, item }) => document === 2 && item <= 18 && item !== 2,
)

let sandbox: Sandbox
let under: ClientUnderTest
beforeAll(async () => {
  sandbox = await startSandbox({ nowMs: Date.parse(CALLED_AT), sizes: SMALL_SIZES })
  const value = String((await fetchToken(sandbox)).body.access_token)
  const oauth = {
    current: async () => ({ value, version: 1 }),
    replace: async () => ({ value, version: 1 }),
  }
  under = clientUnderTest(sandbox.baseUrl, { authorities: { oauth } })
})
afterAll(async () => {
  await under.close()
  await sandbox.close()
})

describe('a call from the client to the sandbox', () => {
  it.each(boardCalls)(
    'and its response conform to the schemas of both: item $item, $call',
    async ({ item }) => {
      const operation = operationAt(item)
      const { args = {}, body } = await requestOf(item)
      const sent = { path: args.path ?? {}, query: args.query ?? {} }
      checkCall(operation, sent, body)
      const answer = await under.client.call(operation, sent, { body })
      expect(answer.status).toBe(successOf(operation).status)
      expect(problemsOf(operation, answer.body)).toEqual([])
      expect(answer.body === undefined).toBe(answer.status === 204)
    },
  )

  it('gets a documented error if the board is missing or must not be used', async () => {
    const shut = await boardWith(sandbox, 9, { withheld: true })
    const body = { classification_id: await anyLabel() }
    let refused = 0
    for (const { item } of boardCalls) {
      const operation = operationAt(item)
      if (!operation.path.includes('{whiteboardId}')) continue
      for (const whiteboardId of [shut, 'wb-none']) {
        const path = { whiteboardId, collaboratorId: 'col-none' }
        const request = item === 9 ? { body } : { body: (await requestOf(item)).body }
        const error = (await under.client
          .call(operation, { path, query: {} }, request)
          .catch((caught: unknown) => caught)) as { status: number; serviceCode: string }
        const known = { status: error.status, code: error.serviceCode }
        expect(operation.errors).toContainEqual(expect.objectContaining(known))
        refused++
      }
    }
    expect(refused).toBe(18)
  })

  it.each([
    { item: 6, args: { path: { classificationId: 'cl-none' } }, code: '34005' },
    { item: 7, args: { path: { classificationId: 'cl-none' } }, code: '34002' },
    { item: 9, body: { classification_id: 'cl-none' }, code: '34005' },
    { item: 12, body: { collaborators: [{ email: 'a@b.example', role: 0 }] }, code: '1010' },
    { item: 14, collaboratorId: 'col-none', code: '34002' },
    { item: 17, body: { object_ids: ['none'] }, code: '34002' },
    { item: 18, args: { query: { user_id: 'nobody' } }, code: '1001' },
  ])('gets a documented error: item $item with code $code', async (wanted) => {
    const { item, args, body, code, collaboratorId = '' } = wanted
    const whiteboardId = await boardWith(sandbox, 7, OPEN)
    const operation = operationAt(item)
    const sent = { path: { whiteboardId, collaboratorId }, query: {}, ...args }
    const error = (await under.client
      .call(operation, sent, { body })
      .catch((caught: unknown) => caught)) as { status: number; serviceCode: string }
    expect(error.serviceCode).toBe(code)
    const known = { status: error.status, code }
    expect(operation.errors).toContainEqual(expect.objectContaining(known))
  })
})

interface Asked {
  args?: CallArguments
  body?: unknown
}

/** Returns a request with which the call of this item succeeds. */
async function requestOf(item: number): Promise<Asked> {
  const whiteboardId = await boardWith(sandbox, 7, OPEN)
  const ofBoard = { path: { whiteboardId } }
  const month = { from: '2026-05-10T09:00:00Z', to: CALLED_AT, page_size: 50 }
  const color = '#1A9C4B'
  const rows = await rowsOf(sandbox, 'whiteboard_collaborators')
  const people = rows.filter(({ whiteboard_id: id }) => id === whiteboardId)
  const viewer = String(people.at(-1)?.collaborator_id)
  const asked: Record<number, () => Asked | Promise<Asked>> = {
    1: () => ({ args: { query: month } }),
    3: async () => {
      const [session] = (await rowsOf(sandbox, 'whiteboard_sessions')).slice(-1)
      return { args: { path: { seesionId: String(session?.id) }, query: { page_size: 300 } } }
    },
    4: () => ({}),
    5: () => ({ body: { name: 'Ours', color, sensitivity_level: 3, is_default: false } }),
    6: async () => ({ args: { path: { classificationId: await anyLabel() } } }),
    7: async () => ({ args: { path: { classificationId: await anyLabel() } } }),
    8: async () => ({ args: { path: { classificationId: await anyLabel() } }, body: { color } }),
    9: async () => ({ args: ofBoard, body: { classification_id: await anyLabel() } }),
    12: () => ({ args: ofBoard, body: { collaborators: [{ email: 'a@b.example', role: 2 }] } }),
    13: () => ({ args: ofBoard, body: { collaborators: [{ collaborator_id: viewer, role: 3 }] } }),
    14: () => ({ args: { path: { whiteboardId, collaboratorId: viewer } } }),
    16: () => ({ args: ofBoard, body: { content_objects: [{ type: 'text' }] } }),
    17: async () => ({ args: ofBoard, body: { object_ids: [await anObject(whiteboardId)] } }),
    18: () => ({ args: { query: { ...month, date_filter_type: 'created_date' } } }),
  }
  return (await asked[item]?.()) ?? { args: ofBoard }
}

const OPEN = { collaborators: 12, objects: 4, locked: false, withheld: false }

/** Creates a label and returns its ID. A new label is neither deleted nor locked. */
async function anyLabel(): Promise<string> {
  const create = operationOf('classification_labels.create')
  const label = { name: 'Any', color: '#000000', sensitivity_level: 1 }
  const { body } = await under.client.call(create, { query: {} }, { body: label })
  return String((body as Record<string, unknown>).classification_id)
}

async function anObject(whiteboardId: string): Promise<string> {
  const read = operationOf('whiteboard_content.get')
  const { body } = await under.client.call(read, { path: { whiteboardId }, query: {} })
  const [first] = (body as { content_objects: { id: string }[] }).content_objects
  return first?.id ?? ''
}

function operationAt(item: number): Operation {
  const { call } = boardCalls.find((documented) => documented.item === item) ?? {}
  const found = operations.find(({ method, path }) => `${method} ${path}` === call)
  if (found === undefined) throw new Error(`no operation for item ${item}`)
  return found
}

function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`no operation ${id}`)
  return found
}

function problemsOf({ response }: Operation, body: unknown): unknown[] {
  const checked = response.safeParse(body)
  return checked.success ? [] : checked.error.issues
}
