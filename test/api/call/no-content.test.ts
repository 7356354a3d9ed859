import { afterEach, describe, expect, it } from 'vitest'
import type { CallsheetError } from '../../../src/core/errors.ts'
import { listUsers } from '../../../src/resources/users.ts'
import { clientUnderTest } from '../client-under-test.ts'
import { type Answer, faultServer, page, send } from '../fault-server.ts'
import { memoryFound } from '../memory-stores.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

type Status = 'active' | 'inactive' | 'pending'
const MINUTE_MS = 60_000
const empty = page()
const one = page({ id: 'a' })

/** A service with an exchangeable answer. `read` returns the number of records, or the error. */
async function standing() {
  let answer: Answer = send(204)
  const server = await faultServer((...exchange) => answer(...exchange))
  const found = memoryFound()
  const { client, clock, close } = clientUnderTest(server.url, { found })
  closers.push(close, server.close)
  const read = async (next: Answer, status: Status = 'active'): Promise<number | string> => {
    answer = next
    return await client.fetchPage(listUsers, { query: { status } }).then(
      ({ records }) => records.count,
      (error: CallsheetError) => `${error.code}: ${error.facts.todo}`,
    )
  }
  const pass = (minutes: number): Promise<void> => clock.sleep(minutes * MINUTE_MS)
  return { read, pass }
}

describe('a 204 instead of a list', () => {
  it('is not an empty list the first time, and the error says when to run again', async () => {
    const { read } = await standing()
    expect(await read(send(204))).toMatch(/^empty_answer: run again after \d{4}-/)
  })

  it('is an empty list after 15 minutes of only 204s, and then for other lists as well', async () => {
    const { read, pass } = await standing()
    await read(send(204))
    await pass(5)
    expect(await read(send(204))).toContain('empty_answer')
    expect(await read(send(204), 'inactive')).toContain('empty_answer')
    await pass(11)
    expect(await read(send(204))).toBe(0)
    expect(await read(send(204), 'inactive')).toBe(0)
  })

  it('is a fault if the service also returns an empty list in a body', async () => {
    const before = await standing()
    expect(await before.read(empty, 'pending')).toBe(0)
    await before.read(send(204))
    await before.pass(60)
    expect(await before.read(send(204))).toContain('so 204 is a fault')

    const after = await standing()
    await after.read(send(204))
    await after.pass(60)
    expect(await after.read(empty, 'pending')).toBe(0)
    expect(await after.read(send(204))).toContain('so 204 is a fault')
  })

  it('does not confirm another 204 weeks later if its list has returned records since', async () => {
    const { read, pass } = await standing()
    await read(send(204))
    await pass(5)
    expect(await read(one)).toBe(1)
    await pass(40_000)
    expect(await read(send(204))).toContain('empty_answer')
  })

  it('does not confirm another 204 days later if its list was not requested again', async () => {
    const { read, pass } = await standing()
    await read(send(204), 'pending')
    await pass(3 * 24 * 60)
    expect(await read(send(204))).toContain('empty_answer')
    await pass(15)
    expect(await read(send(204))).toBe(0)
  })
})
