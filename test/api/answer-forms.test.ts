import { afterEach, describe, expect, it } from 'vitest'
import type { CallArguments, Operation } from '../../src/core/define/operation.ts'
import type { CallsheetError } from '../../src/core/errors.ts'
import { listClassificationLabels } from '../../src/resources/classification-labels.ts'
import { listUsers } from '../../src/resources/users.ts'
import { listWhiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { getWhiteboardContent } from '../../src/resources/whiteboard-content.ts'
import { clientUnderTest, readPage } from './client-under-test.ts'
import { type Answer, faultServer, send } from './fault-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function ask(operation: Operation, answers: Answer[], unproven = false) {
  const server = await faultServer(...answers)
  const tested = clientUnderTest(server.url)
  closers.push(tested.close, server.close)
  const args: CallArguments = { path: { whiteboardId: 'wb-1' } }
  const page = await readPage(
    tested.client
      .fetchPage(operation, args, { unproven })
      .catch((error: unknown) => error as CallsheetError),
  )
  return { page, paths: server.requests.map(({ path }) => path) }
}

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ collaborator_id: `c${at}`, role: 4 }))

describe('a response that is the list itself', () => {
  it.each([true, false])(
    'is read record by record, without a page size (records checked by the caller: %s)',
    async (unproven) => {
      const answer = send(200, ` [ {"collaborator_id":"a]"} , {"collaborator_id":"b"} ] `)
      const { page, paths } = await ask(listWhiteboardCollaborators, [answer], unproven)
      expect(page).toMatchObject({
        records: [{ collaborator_id: 'a]' }, { collaborator_id: 'b' }],
        next: undefined,
        atBound: false,
      })
      expect(paths).toEqual(['/v2/whiteboards/wb-1/collaborator'])
    },
  )

  it('may be empty, and may begin with a byte-order mark', async () => {
    expect((await ask(listWhiteboardCollaborators, [send(200, [])])).page).toMatchObject({
      records: [],
    })
    const marked = send(200, '\ufeff[{"collaborator_id":"a"}]')
    expect((await ask(listWhiteboardCollaborators, [marked])).page).toMatchObject({
      records: [{ collaborator_id: 'a' }],
    })
  })

  it('is marked as possibly cut if it has the service’s maximum length', async () => {
    const { page } = await ask(listWhiteboardCollaborators, [send(200, people(1_000))])
    expect(page).toMatchObject({ atBound: true })
    expect((await ask(listWhiteboardCollaborators, [send(200, people(999))])).page).toMatchObject({
      atBound: false,
    })
  })

  it('is requested again if it is truncated', async () => {
    const answers = [send(200, '[{"collaborator_id":"a"}'), send(200, people(2))]
    const { page, paths } = await ask(listWhiteboardCollaborators, answers)
    expect(page).toMatchObject({ records: people(2) })
    expect(paths).toHaveLength(2)
  })

  it.each([
    ['an object', send(200, { collaborators: [] }), 'the answer is an object, not a list'],
    ['a string', send(200, '"none"'), 'the answer is a string, not a list'],
  ])('is rejected at once if it is %s instead', async (_name, other, came) => {
    const { page, paths } = await ask(listWhiteboardCollaborators, [other, send(200, people(2))])
    expect((page as CallsheetError).message).toContain(came)
    expect(paths).toHaveLength(1)
  })

  it('is an error, not an empty list, if a 200 contains an error code', async () => {
    const error = send(200, { code: 34009, message: 'No permission on the whiteboard.' })
    const { page } = await ask(listWhiteboardCollaborators, [error])
    expect(page).toMatchObject({ serviceCode: '34009' })
  })
})

describe('a response that is one record', () => {
  it.each([true, false])(
    'is returned whole, even if it contains a page token (records checked by the caller: %s)',
    async (unproven) => {
      const record = {
        whiteboard_id: 'wb-1',
        page_id: 'p',
        content_objects: [{ next_page_token: 'x' }],
      }
      const { page, paths } = await ask(getWhiteboardContent, [send(200, record)], unproven)
      expect(page).toMatchObject({ records: [record], next: undefined, atBound: false })
      expect(paths).toEqual(['/v2/whiteboards/wb-1/content'])
    },
  )

  it('is marked as possibly cut if its list has the service’s maximum length', async () => {
    const content_objects = Array.from({ length: 10_000 }, () => ({}))
    const { page } = await ask(getWhiteboardContent, [
      send(200, { whiteboard_id: 'wb-1', content_objects }),
    ])
    expect(page).toMatchObject({ atBound: true })
  })

  it('is rejected at once if it lacks required fields', async () => {
    const record = { whiteboard_id: 'wb-1' }
    const { page, paths } = await ask(getWhiteboardContent, [send(200, {}), send(200, record)])
    expect((page as CallsheetError).message).toContain('lacks fields of the record')
    expect(paths).toHaveLength(1)
  })
})

it('the total of a single-page list is returned even if the list is shorter', async () => {
  const { page } = await ask(listClassificationLabels, [
    send(200, { labels: [{ classification_id: 'a' }], total_records: 2 }),
  ])
  expect(page).toMatchObject({ records: [{ classification_id: 'a' }], total: 2, atBound: false })
})

it('a page with more than twenty times the maximum page size is rejected', async () => {
  const users = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `u${at}` }))
  for (const unproven of [true, false]) {
    const all = await ask(listUsers, [send(200, { users: users(6_000) })], unproven)
    expect(all.page).toMatchObject({ records: { length: 6_000 } })
    const more = await ask(listUsers, [send(200, { users: users(6_001) })], unproven)
    expect(more.page).toMatchObject({ code: 'too_much_in_page' })
    expect((more.page as CallsheetError).message).toContain('more than 6000 records')
    expect(more.paths).toHaveLength(1)
  }
})
