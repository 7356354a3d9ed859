import { describe, expect, it } from 'vitest'
import { readErrorBody } from '../../src/api/answers/refusal.ts'
import type { CallBatch } from '../../src/apply/batches.ts'
import { judgeBatch } from '../../src/apply/judge-batch.ts'
import type { PlanItem } from '../../src/core/define/desired.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { addSmsConsentNumbers } from '../../src/resources/sms-consents.ts'

const NUMBERS = ['+14155550100', '+14155550101', '+493012345678']

function batchOf(numbers: readonly string[]): CallBatch {
  const send = { operation: addSmsConsentNumbers, args: {}, together: '', most: 199, member: '' }
  const items = numbers.map((number, at): PlanItem => {
    const own = { ...send, member: `id-${at}` }
    const about = { key: number, what: number, place: '', action: 'add' } as const
    return { ...about, sends: [own], namedAs: number }
  })
  const members = items.map(({ sends }) => sends[0]?.member ?? '')
  return { send, items, step: 0, toFollow: 0, members }
}

/** The state and reason of each number after a refusal with this message. */
function judged(message: unknown, numbers: readonly string[] = NUMBERS) {
  const body = readErrorBody(Buffer.from(JSON.stringify({ code: 1000, message })))
  const error = new ServiceError(
    {
      operation: 'x',
      status: 400,
      serviceCode: body.code,
      verdict: { kind: 'never' },
      details: body.details,
    },
    { tried: 'x', came: `HTTP 400, "${body.message}"` },
  )
  return judgeBatch(batchOf(numbers), error).map(([, { state, reason }]) => [state, reason])
}

const SENT = ['sent', undefined]

describe('a number that the service lists as failed is recognized', () => {
  it.each([
    '+14155550100',
    '14155550100',
    ' +1 415 555 0100 ',
    '+1 (415) 555-0100',
    '+1.415.555.0100',
    '0014155550100',
    '014155550100',
    'tel:+1-415-555-0100',
    '\u202a+1 415\u00a0555\u20110100\u202c',
    '＋１４１５５５５０１００',
    '(415) 555-0100',
    '4155550100',
    '5550100',
    'id-0',
    14155550100,
  ])('as %j', (phoneNumber) => {
    const list = [{ phoneNumber, reason: 'Invalid number' }]
    for (const message of [list, JSON.stringify(list), ` ${JSON.stringify(list, undefined, 1)}\n`])
      expect(judged(message)).toEqual([['failed', 'Invalid number'], SENT, SENT])
  })

  it('with the national prefix 0 of its country', () => {
    expect(judged([{ phoneNumber: '030 12345678', reason: 'x' }])).toEqual([
      SENT,
      SENT,
      ['failed', 'x'],
    ])
  })

  it('next to other text, as the only item of a list, or without a list', () => {
    const one = { phoneNumber: '4155550101', reason: 'already exists' }
    const wanted = [SENT, ['failed', 'already exists'], SENT]
    expect(judged(`Some items failed: ${JSON.stringify([one])}`)).toEqual(wanted)
    expect(judged(one)).toEqual(wanted)
    expect(judged(JSON.stringify(one))).toEqual(wanted)
  })
})

describe('a refused value that does not match exactly one of the sent numbers', () => {
  it('is shown as received, and the results of the call’s other numbers are unknown', () => {
    const unknown = ['unknown', 'the service refused +44 20 7946 0000: not yours']
    expect(
      judged([
        { phoneNumber: '+14155550100', reason: 'Invalid' },
        { phoneNumber: '+44 20 7946 0000', reason: 'not yours' },
      ]),
    ).toEqual([['failed', 'Invalid'], unknown, unknown])
  })

  it('is shown as the reason for every number if it is the only value', () => {
    const all = judged([{ phoneNumber: 'ABC', reason: 'format invalid' }])
    expect(all).toEqual(NUMBERS.map(() => ['failed', 'the service refused ABC: format invalid']))
    expect(JSON.stringify(judged([{ number: '1', reason: 'format invalid' }]))).toContain(
      'format invalid',
    )
  })

  it('is shown as plain text if its brackets enclose no list', () => {
    for (const message of [
      'The field [1] is wrong',
      'Use {id}',
      'not [',
      '[{',
      '}{',
      '[{'.repeat(20_000),
    ])
      expect(judged(message)).toEqual(NUMBERS.map(() => ['failed', `HTTP 400, "${message}"`]))
  })

  it('is ambiguous if it fits several numbers, and is then the reason for all', () => {
    const both = ['+14155550100', '+4414155550100']
    const all = judged([{ phoneNumber: '155550100', reason: 'x' }], both)
    expect(all).toEqual(both.map(() => ['failed', 'the service refused 155550100: x']))
  })

  it('is shown with a limited length', () => {
    const many = Array.from({ length: 300 }, (_none, at) => ({
      phoneNumber: `n${at}`,
      reason: 'x'.repeat(90),
    }))
    const [[, reason = ''] = []] = judged(many)
    expect(reason.length).toBeLessThan(1_100)
    expect(reason).toContain('295 more')
  })
})
