import { afterEach, describe, expect, it } from 'vitest'
import type { Stream } from '../../src/core/define/stream.ts'
import { smsConsentNumbers as numbers } from '../../src/resources/sms-consents.ts'
import { whiteboardContent } from '../../src/resources/whiteboard-content.ts'
import { type Lists, noLists, noteAbsent, reportAbsent } from '../../src/sync/absent-lists.ts'
import type { SliceHistory } from '../../src/sync/ledger/slice-histories.ts'
import type { RunContext } from '../../src/sync/run/run-context.ts'
import { clientUnderTest } from '../api/client-under-test.ts'
import { type Answer, faultServer, send } from '../api/fault-server.ts'
import { listOf, readingOf, refusal } from './deletions/group-read.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const history = (more: Partial<SliceHistory>) => more as SliceHistory

describe('the result of reading a list', () => {
  const GONE = { error: refusal(404, '1002013'), pages: 0 }
  const noted = (of: Stream, readings: ReturnType<typeof readingOf>[], before: string[] = []) => {
    const absent = new Map(before.map((slice) => [slice, ['x'] as readonly string[]]))
    const lists: Lists = { ...noLists(), absent, taken: new Set(before) }
    noteAbsent(of, lists, readings)
    return [[...lists.absent.keys()], [...lists.taken]]
  }
  it('marks a list as absent if the service has no such list', () => {
    expect(noted(numbers, [listOf('a', GONE)])).toEqual([['of=a'], []])
  })
  it('marks a list as present again once the service returns it', () => {
    expect(noted(numbers, [listOf('a')], ['of=a', 'of=b'])).toEqual([['of=b'], ['of=b']])
  })
  it('leaves the mark unchanged if the read failed or did not take place', () => {
    const readings = [listOf('a', { state: 'failed' }), listOf('a', { state: 'not_read' })]
    expect(noted(numbers, readings, ['of=a'])).toEqual([['of=a'], ['of=a']])
  })
  it('does not mark a list as absent if its parent is in the trash', () => {
    const inTrash = readingOf(GONE, { name: 'of=a', parent: ['a'], besides: true })
    expect(noted(numbers, [inTrash])).toEqual([[], []])
  })
  it('marks a list as withdrawn only if the list was read before', () => {
    const withheld = (listed: boolean) =>
      readingOf({ error: refusal(403), pages: 0 }, { name: 'of=a', history: history({ listed }) })
    expect(noted(whiteboardContent, [withheld(true)])).toEqual([[], ['of=a']])
    expect(noted(whiteboardContent, [withheld(false)])).toEqual([[], []])
  })
})

describe('absent lists in a run', () => {
  const LIMIT = { share: 0.1, rows: 2 }
  const consents = (ids: string[]): Answer =>
    send(200, { sms_consent: ids.map((id) => ({ consent_id: id })), next_page_token: '' })

  async function report(count: number, absent: string[], answer: Answer, taken: string[] = []) {
    const server = await faultServer(answer)
    const tested = clientUnderTest(server.url)
    closers.push(tested.close, server.close)
    const told: unknown[][] = []
    const run = {
      absentLimit: LIMIT,
      client: tested.client,
      signal: new AbortController().signal,
      problem: (text: string, blocking: unknown) => told.push([text.split(',')[0], blocking]),
      postpone: () => {},
    } as unknown as RunContext
    const keys = new Map(absent.map((id) => [`consent=${id}`, [id]]))
    await reportAbsent(run, numbers, { ...noLists(), count, absent: keys, taken: new Set(taken) })
    return { told, calls: server.requests.length }
  }
  const text = (missing: number, of: number): string =>
    `sms_consent_numbers: ${missing} of ${of} lists are missing or not allowed`

  it('are not reported if there are only a few', async () => {
    expect(await report(20, ['a', 'b'], consents([]))).toEqual({ told: [], calls: 0 })
    expect(await report(30, ['a', 'b', 'c'], consents([]))).toEqual({ told: [], calls: 0 })
  })

  it('are reported above the limit if their parents are still listed', async () => {
    const { told } = await report(29, ['a', 'b', 'c'], consents(['a', 'b', 'c', 'd']))
    expect(told).toEqual([[text(3, 29), true]])
  })

  it('are not reported if their parents are no longer listed', async () => {
    expect((await report(20, ['a', 'b', 'c'], consents(['a', 'b', 'd']))).told).toEqual([])
  })

  it('are reported above the limit if the list of their parents is empty or unreadable', async () => {
    for (const answer of [consents([]), send(500), send(404, { code: 1002013, message: 'x' })])
      expect((await report(20, ['a', 'b', 'c'], answer)).told).toEqual([[text(3, 20), true]])
  })

  it('are reported for a person if they were read before and are no longer allowed', async () => {
    const { told, calls } = await report(20, [], consents([]), ['x', 'y', 'z'])
    const came = 'sms_consent_numbers: 3 of 20 lists were read before and are no longer allowed'
    expect({ told, calls }).toEqual({ told: [[came, 'for a person']], calls: 0 })
  })
})
