import { z } from 'zod'
import { readBody } from '../protocol/body.ts'
import type { Answering, SandboxCall } from '../protocol/call.ts'
import { arrayListing } from '../protocol/listing.ts'
import { answerList } from '../protocol/paging.ts'
import { refuse } from '../protocol/refusal.ts'
import { consentOf } from './consent-answers.ts'
import { consentAt, consentNumberAt, moveMembers } from './consents.ts'
import { failedItems } from './failed-items.ts'
import * as rules from './number-rules.ts'
import { numberText } from './numbers.ts'

export const consentNumberAnswers: Readonly<Record<string, Answering>> = {
  'sms_consent_numbers.list': {
    ...rules.numberReads,
    parameters: rules.PAGE,
    granularScopes: ['number_management:read:sms_consent:admin'],
    answer: listNumbers,
  },
  'sms_consent_numbers.add': {
    ...rules.numberWrites,
    granularScopes: ['number_management:write:numbers:admin'],
    status: 201,
    answer: addNumbers,
  },
  'sms_consent_numbers.remove': {
    ...rules.numberWrites,
    granularScopes: ['number_management:delete:numbers:admin'],
    status: 204,
    answer: removeNumbers,
  },
}

function listNumbers(call: SandboxCall): Record<string, unknown> {
  const { seedData, path } = call
  const index = consentOf(call, path.consentId)
  return answerList(call, rules.pageRules('sms_consent_number', 300), () => ({
    listing: (state) => arrayListing(consentAt(seedData, state, index).members),
    item: (state, number) => consentNumberAt(seedData, state, number),
  }))
}

/** Adds numbers to a policy if it has room for them, and reports those that it already has. */
function addNumbers(call: SandboxCall): undefined {
  const { consent, members, capacity, numbers } = readNumbers(call)
  const put = numbers.filter((number) => !members.has(number))
  if (members.size + put.length > capacity)
    throw refuse(400, 1003, 'Too many numbers: the consent has no room for them.')
  move(call, consent, { put })
  tellFailed(call, numbers, {
    failed: (number) => members.has(number),
    reason: 'Number already exists.',
  })
  return undefined
}

function removeNumbers(call: SandboxCall): undefined {
  const { consent, members, numbers } = readNumbers(call)
  move(call, consent, { taken: numbers.filter((number) => members.has(number)) })
  tellFailed(call, numbers, {
    failed: (number) => !members.has(number),
    reason: 'Number does not exist.',
  })
  return undefined
}

function readNumbers(call: SandboxCall) {
  const consent = consentOf(call, call.path.consentId)
  const tooMany = 'Too many numbers: fewer than 200 are allowed.'
  rules.boundList(rules.fieldOf(call, 'phone_number_ids'), MOST, [1003, tooMany])
  const { phone_number_ids: ids } = readBody(call, BODY, rules.INVALID)
  const { members, capacity } = consentAt(call.seedData, call.seedData.state, consent)
  return { consent, members: new Set(members), capacity, numbers: rules.numbersOf(call, ids) }
}

function move(
  call: SandboxCall,
  consent: number,
  moved: { put?: readonly number[]; taken?: readonly number[] },
): void {
  if ((moved.put ?? moved.taken ?? []).length === 0) return
  call.change([moveMembers(call.seedData, consent, { ...moved, modifiedMs: call.nowMs })])
}

function tellFailed(
  call: SandboxCall,
  numbers: readonly number[],
  { failed, reason }: { failed(number: number): boolean; reason: string },
): void {
  const { seedData } = call
  const items = numbers.filter(failed).map((number) => ({
    phoneNumber: numberText(seedData, seedData.state, number),
    reason,
  }))
  if (items.length > 0) throw failedItems(call, items)
}

const MOST = 199
const BODY = z.strictObject({ phone_number_ids: z.array(z.string()).min(1) })
