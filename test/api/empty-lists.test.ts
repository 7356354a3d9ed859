import { afterEach, describe, expect, it } from 'vitest'
import type { Operation } from '../../src/core/define/operation.ts'
import { CallsheetError, ServiceError } from '../../src/core/errors.ts'
import { listPortedOrders } from '../../src/resources/number-settings.ts'
import { getUser, listUsers } from '../../src/resources/users.ts'
import { listWhiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { clientUnderTest, readPage } from './client-under-test.ts'
import { type Answer, faultServer, JSON_TYPE, page, send } from './fault-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const json = (body: string): Answer => send(200, body, JSON_TYPE)

async function read(
  answer: Answer | Answer[],
  {
    operation = listUsers,
    unproven = true,
    token = '',
  }: { operation?: Operation; unproven?: boolean; token?: string } = {},
) {
  const server = await faultServer(...[answer].flat(), page({ id: 'second' }))
  const tested = clientUnderTest(server.url)
  closers.push(tested.close, server.close)
  const args = {
    path: { whiteboardId: 'w', userId: 'u' },
    query: token === '' ? {} : { next_page_token: token },
  }
  const result = await readPage(
    tested.client
      .fetchPage(operation, args, { unproven })
      .catch((error: unknown) => error as CallsheetError),
  )
  const said = result instanceof Error ? result.message : ''
  const ids = result instanceof Error ? undefined : result.records
  return { result, said, ids, sent: server.requests.length, slept: tested.clock.sleeps.length }
}

async function readDetail(answer: Answer) {
  const server = await faultServer(answer, json('{"id":"u"}'))
  const { client, close } = clientUnderTest(server.url)
  closers.push(close, server.close)
  return await client.fetchDetail(getUser, { path: { userId: 'u' } })
}

describe.each([true, false])('an empty list (records checked by the caller: %s)', (unproven) => {
  it.each([
    ['null', '{"users":null}'],
    ['null with a total of 0', '{"users":null,"total_records":0,"next_page_token":null}'],
    ['an empty object', '{"users":{},"total_records":"0"}'],
    ['left out, with a total of 0', '{"total_records":0,"next_page_token":""}'],
  ])('may be %s', async (_name, body) => {
    const { ids, sent } = await read(json(body), { unproven })
    expect(ids).toEqual([])
    expect(sent).toBe(1)
  })

  const bare = { operation: listWhiteboardCollaborators, unproven }
  it.each([
    ['a body of null', json('null'), {}],
    ['null in place of a bare list', json('null'), bare],
    ['an empty object in place of a bare list', json('{}'), bare],
  ])('may be %s if each retry returns the same', async (_name, answer, asked) => {
    const order = { unproven, ...asked }
    expect(await read([answer, answer, answer], order)).toMatchObject({
      ids: [],
      sent: 3,
      slept: 2,
    })
    if (asked === bare) return
    const second = [{ id: 'second' }]
    expect(await read(answer, order)).toMatchObject({ ids: second, sent: 2 })
    expect(await read([answer, answer], order)).toMatchObject({ ids: second, sent: 3 })
  })

  it('cannot be a 204 in place of a later page or a record', async () => {
    const second = [{ id: 'second' }]
    const further = Array.from({ length: 4 }, () => send(204))
    expect(await read(further, { unproven, token: 't' })).toMatchObject({ ids: second, sent: 5 })
    const detail = await readDetail(send(204))
    expect(detail).toMatchObject({ state: 'found', record: { id: 'u' } })
  })

  it('may be null on a later page, whatever the total is', async () => {
    const last = json('{"users":null,"total_records":40}')
    expect(await read(last, { unproven, token: 't' })).toMatchObject({ ids: [], sent: 1 })
  })

  it.each([
    ['null despite its total', '{"users":null,"total_records":40}', 'total_records is 40'],
    ['left out', '{"next_page_token":""}', 'users is missing'],
    ['a text', '{"users":"none"}', 'users is a string'],
    ['a record', '{"users":{"id":"a"}}', 'users is an object'],
    ['another list', '[]', 'the answer is a list, not an object'],
    ['a number in place of all', '7', 'the answer is a number, not an object'],
    ['a token that is an object', '{"users":[],"next_page_token":{"a":1}}', 'is an object'],
    ['a token that is a list', '{"users":[],"next_page_token":[]}', 'is a list'],
    ['a token that is true', '{"users":[],"next_page_token":true}', 'is a boolean'],
  ])('is not assumed for %s, which is an error at once', async (_name, body, what) => {
    const { result, said, sent, slept } = await read(json(body), { unproven })
    expect(result).toBeInstanceOf(CallsheetError)
    expect(said).toContain(what)
    expect({ sent, slept }).toEqual({ sent: 1, slept: 0 })
  })

  it.each([
    ['false', 'false', undefined],
    ['a number', '7', '7'],
    ['a number of twenty digits', '12345678901234567890', '12345678901234567890'],
  ])('may have as its page token %s', async (_name, token, due) => {
    const { result } = await read(json(`{"users":[{"id":"a"}],"next_page_token":${token}}`), {
      unproven,
    })
    const next = due === undefined ? undefined : { next_page_token: due }
    expect(result).toMatchObject({ records: [{ id: 'a' }], next })
  })

  it.each([
    ['a code and an empty list', '{"code":3001,"message":"Not for you.","users":[]}', '3001'],
    ['a code as text', '{"code":"200_005","users":[],"total_records":0}', '200_005'],
    ['a code of -1', '{"users":[],"code":-1}', '-1'],
    ['a code and null', '{"code":300,"message":"x","users":null}', '300'],
    ['a code and records', '{"users":[{"id":"a"}],"code":300,"message":"x"}', '300'],
    ['code 200 with an error message', '{"code":200,"message":"No permission.","users":[]}', '200'],
  ])('is an error if a 200 contains %s', async (_name, body, code) => {
    for (const token of ['', 't']) {
      const { result, sent } = await read(json(body), { unproven, token })
      // On a later page, code 300 refuses the page token.
      if (token === '' || code !== '300') expect(result).toBeInstanceOf(ServiceError)
      if (token === '') expect(result).toMatchObject({ serviceCode: code })
      expect(result).toBeInstanceOf(CallsheetError)
      expect(sent).toBe(1)
    }
  })

  it('of orders is an error if a 200 contains a code', async () => {
    const answer = json('{"code":4001,"message":"Try the other one.","ported_numbers":[]}')
    const { result } = await read(answer, { operation: listPortedOrders, unproven })
    expect(result).toMatchObject({ serviceCode: '4001' })
  })

  it.each([
    ['0', '{"code":0,"message":"ok","users":[]}'],
    ['0 as text', '{"code":"0","users":[]}'],
    ['null', '{"code":null,"message":null,"users":[]}'],
    ['an empty text', '{"code":"","users":[]}'],
    ['200 with success', '{"code":200,"message":"success","users":[]}'],
    ['200 without a message', '{"code":"200","users":[]}'],
    ['SUCCESS', '{"code":"SUCCESS","users":[]}'],
  ])('is valid along with the code %s', async (_name, body) => {
    expect(await read(json(body), { unproven })).toMatchObject({ ids: [], sent: 1 })
  })
})

it('a list with records is valid along with the code 200, whatever its message', async () => {
  const { ids } = await read(json('{"code":200,"message":"Users found.","users":[{"id":"a"}]}'))
  expect(ids).toEqual([{ id: 'a' }])
})

it('a record may have a field "code", in a list and alone', async () => {
  const record = { id: 'a', code: 4001, message: 'hello' }
  expect((await read(json(JSON.stringify({ users: [record] })))).ids).toEqual([record])
  const alone = await read(json('{"id":"u","code":"+47"}'), { operation: getUser })
  expect(alone.ids).toEqual([{ id: 'u', code: '+47' }])
})
