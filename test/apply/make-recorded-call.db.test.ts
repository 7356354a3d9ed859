import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type EndedCall, makeRecordedCall } from '../../src/apply/make-recorded-call.ts'
import { listClassificationLabels } from '../../src/resources/classification-labels.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
})
afterEach(() => world.faults([]))
afterAll(() => world.close())

/** Makes a read call, and returns its reported ends, even if it fails. */
async function read(signal = new AbortController().signal): Promise<EndedCall[]> {
  const ends: EndedCall[] = []
  await makeRecordedCall(world.account.deps, {
    account: 'account-0',
    operation: listClassificationLabels,
    args: {},
    body: undefined,
    askedBy: () => 'test@here',
    signal,
    onEnd: (end) => void ends.push(end),
  }).catch(() => {})
  return ends
}

const fault = (kind: string, more: object = {}) =>
  world.faults([{ kind, operation: listClassificationLabels.id, ...more }])

describe('a recorded read call', () => {
  it('is reported as sent if a response arrived, even a refusal', async () => {
    expect(await read()).toEqual([{ sent: true }])
    await fault('status', { status: 400 })
    expect(await read()).toEqual([{ sent: true }])
  })

  it('is reported as possibly sent if no response arrived', async () => {
    await fault('reset')
    expect(await read()).toEqual([{ sent: 'unknown' }])
  })

  it('is reported as not sent if it was stopped before it was sent', async () => {
    expect(await read(AbortSignal.abort(new Error('stopped')))).toEqual([{ sent: false }])
  })
})
