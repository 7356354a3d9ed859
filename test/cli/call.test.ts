import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import {
  type Answer,
  faultServer,
  type FaultServer,
  resetAtOnce,
  send,
} from '../api/fault-server.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let server: FaultServer | undefined
beforeAll(async () => void (bench = await openWorkbench()))
afterAll(() => bench.close())
afterEach(async () => {
  await server?.close()
  server = undefined
  bench.configure()
})

/** Lets the account call a server that says what a test wants; tokens come from the sandbox. */
async function serve(...answers: Answer[]): Promise<FaultServer> {
  server = await faultServer(...answers)
  bench.configure({ account: [`baseUrl: ${server.url}`] })
  return server
}

const call = (...args: string[]) => bench.run('call', ...args)
const ALLOCATION = { allocated_product: 'SVC_PHONE', numbers: ['n-1', 'n-2'], site_id: 's-1' }
const allocate = (...more: string[]) =>
  call('phone_numbers.allocate', '--body', JSON.stringify(ALLOCATION), ...more)

/** What the book of calls says of the last one. */
async function entered() {
  const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
  const { rows } = await sql<Record<string, unknown>>`
    select operation, asked_by, arguments, body, state, status, code, tracking_id, reason,
      ended_at is not null as ended from callsheet.calls order by id desc limit 1`.execute(
    warehouse.db,
  )
  await warehouse.close()
  return rows[0]
}

describe('a read', () => {
  it('goes out at once, and answers a table, or JSON as it came', async () => {
    const asked = ['users.list', '-p', 'status=active', '-p', 'page_size=5']
    const { code, stdout, stderr } = await call(...asked)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^id +first_name +last_name/m)
    expect(stdout).toContain('5 records.')
    expect(stderr).toContain('There are more')
    const json = JSON.parse((await call(...asked, '--json')).stdout) as {
      status: number
      body: { users: { id: string }[] }
    }
    expect(json).toMatchObject({ status: 200, body: { page_size: 5 } })
    const id = json.body.users[0]?.id ?? ''
    const one = await call('users.get', '-p', `userId=${id}`)
    expect(JSON.parse(one.stdout)).toMatchObject({ id })
    expect(await entered()).toBeUndefined()
  })

  it('of a detail that is not there says what the refusal means', async () => {
    const { code, stderr } = await call('users.get', '-p', 'userId=nobody')
    expect(code).toBe(1)
    expect(stderr).toContain('1001')
    expect(stderr).toContain('the user is not there, or not in this account')
  })
})

describe('what is wrong with a call', () => {
  it.each([
    ['an operation that is none', ['users.lst'], 'did you mean users.list?'],
    ['a parameter that is none', ['users.list', '-p', 'state=active'], 'the parameter state'],
    ['a parameter that is due', ['users.list'], 'query.status'],
    ['a value that is none', ['users.list', '-p', 'status=gone'], 'query.status'],
    ['a path that lacks a value', ['users.get'], 'userId: needed in the path'],
    ['a body that is no JSON', ['phone_numbers.allocate', '-b', '{no'], '3 characters'],
    ['a body that lacks a field', ['phone_numbers.allocate', '-b', '{}'], 'body.allocated_product'],
    ['a body that is due', ['phone_numbers.allocate', '--yes'], 'body: needed'],
    ['a body where none is', ['users.get', '-p', 'userId=me', '-b', '{}'], 'takes none'],
    ['a file that is not there', ['phone_numbers.allocate', '-b', '@none.json'], 'ENOENT'],
    ['a file that it would answer', ['whiteboard_sessions.download'], 'callsheet archive'],
  ])('is told before anything is sent: %s', async (_what, args, said) => {
    const { requests } = await serve(send(204))
    const { code, stderr } = await call(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(said)
    expect(requests).toEqual([])
  })

  it('is told without what was given', async () => {
    const body = '{"allocated_product":"canary-1","numbers":"canary-2"}'
    const { stderr, stdout } = await call('phone_numbers.allocate', '-b', body)
    expect(stderr).toContain('body.numbers')
    expect(stderr + stdout).not.toContain('canary')
  })
})

describe('a write', () => {
  it('is shown, and goes out only with --yes', async () => {
    const { requests } = await serve(send(204))
    const { code, stdout, stderr } = await allocate()
    expect(code).toBe(2)
    expect(stdout).toContain('PATCH /number_management/allocation')
    expect(stdout).toContain('"site_id": "s-1"')
    expect(stderr).toContain('Nothing was sent')
    expect(requests).toEqual([])
    expect(await entered()).toBeUndefined()
  })

  it('is sent as it was given, and entered with who asked and what came', async () => {
    const { requests } = await serve(send(204))
    writeFileSync(join(bench.folder, 'body.json'), JSON.stringify(ALLOCATION))
    const { code, stdout } = await call('phone_numbers.allocate', '-b', '@body.json', '--yes')
    expect(code).toBe(0)
    expect(stdout).toContain('Done (HTTP 204).')
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method: 'PATCH', path: '/v2/number_management/allocation' })
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(ALLOCATION)
    expect(await entered()).toMatchObject({
      operation: 'phone_numbers.allocate',
      asked_by: expect.stringMatching(/^\w+@./) as string,
      body: ALLOCATION,
      state: 'done',
      status: 204,
      tracking_id: 'T-1',
      ended: true,
    })
  })

  it('repeats the name of a parameter that is a list', async () => {
    const { requests } = await serve(send(204))
    await call('phone_numbers.delete', '-p', 'numbers=a', '-p', 'numbers=b', '--yes')
    expect(requests[0]?.path).toBe('/v2/number_management/numbers?numbers=a&numbers=b')
  })

  it('keeps its secrets out of the preview and of the book', async () => {
    const { requests } = await serve(send(201, { id: 'l-1', name: 'l' }))
    const access_key = { id: 'key-id', key: 'canary-key' }
    const s3 = {
      access_key,
      authentication_mechanism: 'objstore_access_key',
      bucket: 'b',
      region: 'r',
    }
    const body = JSON.stringify({ name: 'l', provider: 'objstore_s3', s3 })
    const { code, stdout, stderr } = await call('storage_locations.create', '-b', body, '--yes')
    expect(code).toBe(0)
    expect(requests[0]?.body).toContain('canary-key')
    expect(stdout + stderr).not.toContain('canary')
    const book = await entered()
    expect(book).toMatchObject({ state: 'done', body: { name: 'l', s3: { bucket: 'b' } } })
    expect(JSON.stringify(book)).not.toContain('canary')
  })

  it('that is refused says what that means, and is entered as refused', async () => {
    await serve(send(400, { code: '1002_010', message: 'Site does not exist.' }))
    const { code, stderr } = await allocate('--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('there is no such site')
    expect(await entered()).toMatchObject({ state: 'refused', status: 400, code: '1002_010' })
  })

  it.each([
    ['lost', resetAtOnce, null],
    ['a fault of the service', send(502, 'bad gateway'), 502],
  ])('whose answer is %s is not sent again, as nobody knows', async (_what, answer, status) => {
    const { requests } = await serve(answer, send(204))
    const { code, stderr } = await allocate('--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('look at the service whether it was done')
    expect(requests).toHaveLength(1)
    expect(await entered()).toMatchObject({ state: 'unknown', status, ended: true })
  })

  it('that is refused for its rate alone is sent again: it was not done', async () => {
    const message = 'You have reached the maximum per-second rate limit for this API.'
    const { requests } = await serve(send(429, { code: 429, message }), send(204))
    expect((await allocate('--yes')).code).toBe(0)
    expect(requests).toHaveLength(2)
    expect(await entered()).toMatchObject({ state: 'done', status: 204 })
  })

  it('that answers 200 with an error inside is refused', async () => {
    await serve(send(200, { code: 200, message: 'You do not have the right permissions.' }))
    const recover = ['-p', 'sessionId=s/1', '-b', '{"action":"recover"}', '--yes']
    const { code, stderr } = await call('recordings.recover', ...recover)
    expect(code).toBe(1)
    expect(stderr).toContain('code 200')
    expect(await entered()).toMatchObject({ state: 'refused', status: 200, code: '200' })
  })
})

it('help is made from what the operation takes', async () => {
  const { code, stdout } = await call('phone_numbers.allocate', '--help')
  expect(code).toBe(0)
  expect(stdout).toContain('allocated_product*: UNALLOCATED | SVC_PHONE | SVC_CONTACT_CENTER')
  expect((await call('--help')).stdout).toContain('callsheet call users.get --param userId=me')
})
