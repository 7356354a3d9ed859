import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseLossless } from '../../src/core/values/json.ts'
import { send } from '../api/fault-server.ts'
import { type CallBench, openCallBench } from './call-bench.ts'

let opened: CallBench
beforeAll(async () => void (opened = await openCallBench()))
afterEach(() => opened.reset())
afterAll(() => opened.bench.close())

describe('a read with callsheet call', () => {
  it('is sent at once, and its result is printed as a table or as the original JSON', async () => {
    const asked = ['users.list', '-p', 'status=active', '-p', 'page_size=5']
    const { code, stdout, stderr } = await opened.call(...asked)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^id +first_name +last_name/m)
    expect(stdout).toContain('5 records.')
    expect(stderr).toContain('There are more')
    const json = JSON.parse((await opened.call(...asked, '--json')).stdout) as {
      status: number
      body: { users: { id: string }[] }
    }
    expect(json).toMatchObject({ status: 200, body: { page_size: 5 } })
    const second = (await opened.call(...asked, '-p', 'page_number=2', '--json')).stdout
    expect(JSON.parse(second)).toMatchObject({ status: 200, body: { page_number: 2 } })
    const id = json.body.users[0]?.id ?? ''
    const one = await opened.call('users.get', '-p', `userId=${id}`)
    expect(JSON.parse(one.stdout)).toMatchObject({ id })
    expect(await opened.entered()).toBeUndefined()
  })

  it('accepts a path parameter in its misspelled and its correct form', async () => {
    for (const name of ['seesionId', 'sessionId']) {
      const { requests } = await opened.serve(send(200, { page_size: 30, activities: [] }))
      const { code } = await opened.call('whiteboard_sessions.get', '-p', `${name}=s-1`)
      expect(code).toBe(0)
      expect(requests.map(({ path }) => path.split('?')[0])).toEqual([
        '/v2/whiteboards/sessions/s-1',
      ])
      await opened.reset()
    }
  })

  it('of a missing detail explains the refusal', async () => {
    const { code, stderr } = await opened.call('users.get', '-p', 'userId=nobody')
    expect(code).toBe(1)
    expect(stderr).toContain('1001')
    expect(stderr).toContain('the user does not exist, or is not in this account')
  })
})

describe('a number too large for a double', () => {
  const LONG = '12345678901234567890'
  const one = parseLossless(`{"id":"u-1","pmi":${LONG},"n":1.25,"m":1234567,"deep":{"e":1e400}}`)

  it('is printed unchanged in a record, in a table and in JSON', async () => {
    await opened.serve(send(200, one), send(200, one))
    const record = await opened.call('users.get', '-p', 'userId=me')
    expect(record.stdout).toContain(`"pmi": ${LONG}`)
    const inJson = await opened.call('users.get', '-p', 'userId=me', '--json')
    expect(inJson.stdout).toContain(`"pmi": ${LONG}`)
    expect(inJson.stdout).toContain('"e": 1e400')
    await opened.serve(send(200, { users: [one] }), send(200, { users: [one] }))
    const list = ['users.list', '-p', 'status=active']
    const table = await opened.call(...list)
    expect(table.stdout).toMatch(/^id +pmi +n +m$/m)
    expect(table.stdout).toMatch(new RegExp(`^u-1 +${LONG} +1\\.25 +1234567$`, 'm'))
    expect((await opened.call(...list, '--json')).stdout).toContain(`"pmi": ${LONG}`)
  })

  it('is previewed and sent unchanged', async () => {
    const { requests } = await opened.serve(send(204))
    const asked = ['me.update', '-b', `{"feature":{"capacity":${LONG}}}`]
    expect((await opened.call(...asked)).stdout).toContain(LONG)
    expect((await opened.call(...asked, '--json')).stdout).toContain(LONG)
    await opened.call(...asked, '--yes')
    expect(requests[0]?.body).toContain(LONG)
  })

  it('is printed unchanged in an error message', async () => {
    const refusal = parseLossless(
      `{"code":300,"message":"No.","errors":[{"field":"pmi","is":${LONG}}]}`,
    )
    await opened.serve(send(400, refusal), send(400, refusal))
    const asked = ['users.get', '-p', 'userId=me']
    expect((await opened.call(...asked)).stderr).toContain(`pmi: ${LONG}`)
    expect((await opened.call(...asked, '--json')).stdout).toContain(`"is": ${LONG}`)
  })

  it('is refused as a parameter instead of being sent as another number', async () => {
    const { requests } = await opened.serve(send(200, { users: [] }))
    const asked = ['users.list', '-p', 'status=active', '-p', `page_size=${LONG}`]
    expect(await opened.call(...asked)).toMatchObject({ code: 2 })
    expect(requests).toEqual([])
  })
})

describe('an invalid call', () => {
  it.each([
    ['an unknown operation', ['users.lst'], 'did you mean users.list?'],
    [
      'an unknown parameter',
      ['users.list', '-p', 'state=active'],
      'the operation has no parameter state',
    ],
    [
      'a parameter named like a member of every object',
      ['users.list', '-p', 'constructor=x'],
      'the operation has no parameter constructor',
    ],
    ['a missing parameter', ['sip_groups.list'], 'query.allocated_product'],
    ['an invalid value', ['users.list', '-p', 'status=gone'], 'query.status'],
    ['a path that lacks a value', ['users.get'], 'userId: missing from the path'],
    [
      'a path with two values',
      ['users.get', '-p', 'userId=a', '-p', 'userId=b'],
      'userId was given more than once',
    ],
    [
      'two values under two names of one parameter',
      ['whiteboard_sessions.get', '-p', 'seesionId=a', '-p', 'sessionId=b'],
      'seesionId was given more than once',
    ],
    ['a body that is not JSON', ['phone_numbers.allocate', '-b', '{no'], '3 characters'],
    ['a body that lacks a field', ['phone_numbers.allocate', '-b', '{}'], 'body.allocated_product'],
    ['a missing body', ['phone_numbers.allocate', '--yes'], 'body: missing'],
    [
      'a body for an operation without one',
      ['users.get', '-p', 'userId=me', '-b', '{}'],
      'takes no body',
    ],
    ['a missing file', ['phone_numbers.allocate', '-b', '@none.json'], 'there is no such file'],
    ['an operation that returns a file', ['whiteboard_sessions.download'], 'callsheet archive'],
  ])('is reported before anything is sent: %s', async (_what, args, said) => {
    const { requests } = await opened.serve(send(204))
    const { code, stderr } = await opened.call(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(said)
    expect(requests).toEqual([])
  })

  it('is reported without the given value', async () => {
    const body = '{"allocated_product":"canary-1","numbers":"canary-2"}'
    const { stderr, stdout } = await opened.call('phone_numbers.allocate', '-b', body)
    expect(stderr).toContain('body.numbers')
    expect(stderr + stdout).not.toContain('canary')
  })
})

it('the help of call lists the operation’s parameters', async () => {
  const { code, stdout } = await opened.call('phone_numbers.allocate', '--help')
  expect(code).toBe(0)
  expect(stdout).toContain('allocated_product*: UNALLOCATED | SVC_PHONE | SVC_CONTACT_CENTER')
  expect((await opened.call('--help')).stdout).toContain(
    'callsheet call users.get --param userId=me',
  )
})
