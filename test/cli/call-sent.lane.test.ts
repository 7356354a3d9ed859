import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { resetAtOnce, send } from '../api/fault-server.ts'
import { type CallBench, openCallBench } from './call-bench.ts'

let opened: CallBench
beforeAll(async () => void (opened = await openCallBench()))
afterEach(() => opened.reset())
afterAll(() => opened.bench.close())

interface Told {
  sent: boolean | 'unknown'
  call: number | null
  error?: { code: string }
}

const BODY = '{"allocated_product":"SVC_PHONE","numbers":["n-1"]}'
async function write(...more: string[]): Promise<Told> {
  const asked = ['phone_numbers.allocate', '-b', BODY, '--json', ...more]
  return JSON.parse((await opened.call(...asked)).stdout) as Told
}

describe('the field "sent" in the output of a write', () => {
  it('is accompanied by the number of the recorded call', async () => {
    await opened.serve(send(204))
    const done = await write('--yes')
    expect(done).toMatchObject({ sent: true, call: await lastCall() })
    await opened.serve(send(400, { code: '1002_010', message: 'Site does not exist.' }))
    const refused = await write('--yes')
    expect(refused).toMatchObject({ sent: true, call: (done.call ?? 0) + 1 })
    expect(refused.error?.code).toBeDefined()
    await opened.serve(resetAtOnce)
    const lost = await write('--yes')
    expect(lost).toMatchObject({ sent: 'unknown', call: await lastCall() })
  })

  it('is false if no server received the write, or it was only previewed', async () => {
    expect(await write()).toMatchObject({ sent: false, call: null })
    const { close } = await opened.serve(send(204))
    await close()
    expect(await write('--yes')).toMatchObject({ sent: false, call: await lastCall() })
  })

  it('is false if the call could not be recorded, so that nothing was sent', async () => {
    const { requests } = await opened.serve(send(204))
    const before = await lastCall()
    const table = sql`alter table callsheet.calls`
    await onDatabase(sql`${table} add constraint closed check (state <> 'open') not valid`)
    const told = await write('--yes')
    await onDatabase(sql`${table} drop constraint closed`)
    expect(told).toMatchObject({ sent: false, call: null, error: { code: 'sql_23514' } })
    expect([requests, await lastCall()]).toEqual([[], before])
  })
})

it('a read is reported as sent if it got a response', async () => {
  await opened.serve(send(404, { code: 1001, message: 'No.' }))
  const read = await opened.call('users.get', '-p', 'userId=me', '--json')
  expect(JSON.parse(read.stdout)).toMatchObject({ sent: true, call: null })
})

async function lastCall(): Promise<number> {
  return Number((await onDatabase(sql`select max(id) as id from callsheet.calls`))[0]?.id)
}

async function onDatabase(query: ReturnType<typeof sql>): Promise<{ id?: unknown }[]> {
  const warehouse = connect({ url: opened.bench.databaseUrl, poolSize: 1 })
  const { rows } = await query.execute(warehouse.db)
  await warehouse.close()
  return rows as { id?: unknown }[]
}
