import { z } from 'zod'
import {
  boolean,
  instant,
  integer,
  json,
  plainBoolean,
  plainList,
  text,
} from '../core/define/column.ts'
import { defineOperation } from '../core/define/define-operation.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { listEnvelope, listQuery } from './list-query.ts'
import { numberScopes, pageTokenCodes } from './number-values.ts'
import { numberErrors } from './service-errors.ts'

const all = '/number_management/sms_consent'
const one = `${all}/{consentId}`
const numbers = `${one}/phone_numbers`
const readGranular = ['number_management:read:sms_consent:admin']
/** One call may add or remove fewer than 200 numbers. */
const MOST_NUMBERS = 199

const MOST_LISTED = 300
const plain = { bearer: 'oauth', query: z.object({}) } as const
const paged = <const Items extends string>(items: Items) =>
  ({ style: 'token', items, maxPageSize: MOST_LISTED, tokenErrorCodes: pageTokenCodes }) as const

const policy = z.looseObject({ consent_id: z.string(), status: z.unknown().optional() })
const keywords = z.array(z.string().min(1))
const optIn = z.strictObject({ prompt: z.string(), keywords, confirmation_message: z.string() })
const reply = z.strictObject({ message: z.string(), keywords })
const disclaimer = z.strictObject({ enable: z.boolean(), message: z.string() })
/** A new policy needs every part; an update may name any of them. */
const inOutBound = z.strictObject({
  opt_in_message: optIn,
  opt_out_message: reply,
  help_message: reply,
  disclaimer,
})
const inOutBoundChanges = z.strictObject({
  opt_in_message: optIn.partial().optional(),
  opt_out_message: reply.partial().optional(),
  help_message: reply.partial().optional(),
  disclaimer: disclaimer.partial().optional(),
})
const settable = {
  consent_name: z.string().min(1),
  description: z.string().optional(),
  status: z.boolean(),
}
const yesOrNo = (value: unknown): unknown => {
  const read = plainBoolean(value)
  return read === undefined ? value : read === 'true'
}
const ids = z.array(z.string().min(1)).min(1)
const numberIds = z.strictObject({ phone_number_ids: ids.max(MOST_NUMBERS) })
const refusals = numberErrors('someFailed', 'tooMany', 'numberMissing', 'consentMissing', 'invalid')

export const listSmsConsents = defineOperation({
  id: 'sms_consents.list',
  summary: 'List the SMS consent policies',
  method: 'GET',
  path: all,
  scopes: numberScopes.read,
  granularScopes: readGranular,
  rate: 'MEDIUM',
  bearer: 'oauth',
  query: z.object({ ...listQuery(MOST_LISTED) }),
  errors: numberErrors('invalid', 'pageToken'),
  response: z.looseObject({ ...listEnvelope, sms_consent: z.array(z.unknown()) }),
  paging: paged('sms_consent'),
})

export const createSmsConsent = defineOperation({
  id: 'sms_consents.create',
  summary: 'Create an SMS consent policy',
  method: 'POST',
  path: all,
  scopes: numberScopes.write,
  granularScopes: ['number_management:write:sms_consent:admin'],
  rate: 'LIGHT',
  ...plain,
  body: z.strictObject({ ...settable, in_out_bound: inOutBound }),
  success: { status: 201 },
  errors: numberErrors('empty', 'invalid'),
  response: policy,
})

export const deleteSmsConsents = defineOperation({
  id: 'sms_consents.delete',
  summary: 'Delete SMS consent policies',
  method: 'DELETE',
  path: all,
  scopes: numberScopes.write,
  granularScopes: ['number_management:delete:sms_consent:admin'],
  rate: 'MEDIUM',
  ...plain,
  body: z.strictObject({ consent_ids: ids }),
  success: { status: 204 },
  errors: numberErrors('consentMissing', 'invalid'),
  response: z.unknown(),
})

export const getSmsConsent = defineOperation({
  id: 'sms_consents.get',
  summary: 'Read one SMS consent policy',
  method: 'GET',
  path: one,
  scopes: numberScopes.read,
  granularScopes: readGranular,
  rate: 'LIGHT',
  ...plain,
  errors: numberErrors('consentMissing', 'invalid'),
  response: policy,
  names: { consentId: ['consent_id'] },
  paging: { style: 'record' },
  deleted: [{ status: 404, code: '1002013' }],
})

/** Changes only the given fields. */
export const updateSmsConsent = defineOperation({
  id: 'sms_consents.update',
  summary: 'Change an SMS consent policy',
  method: 'PATCH',
  path: one,
  scopes: numberScopes.write,
  granularScopes: ['number_management:update:sms_consent:admin'],
  rate: 'LIGHT',
  ...plain,
  body: z
    .strictObject({ ...settable, in_out_bound: inOutBoundChanges })
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'at least one field to change'),
  success: { status: 204 },
  errors: numberErrors('consentMissing', 'invalid'),
  response: z.unknown(),
})

export const listSmsConsentNumbers = defineOperation({
  id: 'sms_consent_numbers.list',
  summary: 'List the numbers under a consent policy',
  method: 'GET',
  path: numbers,
  scopes: numberScopes.read,
  granularScopes: readGranular,
  rate: 'MEDIUM',
  bearer: 'oauth',
  query: z.object({ ...listQuery(MOST_LISTED) }),
  errors: numberErrors('consentMissing', 'invalid', 'pageToken'),
  response: z.looseObject({ ...listEnvelope, sms_consent_number: z.array(z.unknown()) }),
  names: { consentId: ['consent_id'] },
  paging: paged('sms_consent_number'),
  deleted: [{ status: 404, code: '1002013' }],
})

export const addSmsConsentNumbers = defineOperation({
  id: 'sms_consent_numbers.add',
  summary: 'Put numbers under a consent policy',
  method: 'POST',
  path: numbers,
  scopes: numberScopes.write,
  granularScopes: ['number_management:write:numbers:admin'],
  rate: 'MEDIUM',
  ...plain,
  body: numberIds,
  success: { status: 201 },
  errors: refusals,
  response: z.unknown(),
})

export const removeSmsConsentNumbers = defineOperation({
  id: 'sms_consent_numbers.remove',
  summary: 'Take numbers from under a consent policy',
  method: 'DELETE',
  path: numbers,
  scopes: numberScopes.write,
  granularScopes: ['number_management:delete:numbers:admin'],
  rate: 'MEDIUM',
  ...plain,
  body: numberIds,
  success: { status: 204 },
  errors: refusals,
  response: z.unknown(),
})

export const smsConsents = defineStream({
  name: 'sms_consents',
  about: 'One policy of consent to SMS, with its messages and keywords.',
  operation: listSmsConsents,
  columns: {
    consent_id: text('ID of the policy.'),
    consent_name: text('Name of the policy.'),
    description: text('Description of the policy.'),
    account_id: text("ID that the service gives the policy's account."),
    used_number: integer('How many numbers are under the policy.'),
    status: boolean('Whether the policy is active.'),
    in_out_bound: json(
      'Messages and keywords to opt in, to opt out and for help, and the disclaimer.',
      { enable: yesOrNo, keywords: plainList },
    ),
    create_time: instant('When the policy was created.'),
    modify_time: instant('When the policy was last changed.'),
  },
  key: ['consent_id'],
  expected: ['consent_name', 'status'],
  personal: [],
  transient: [],
  volatile: [],
  sync: {
    kind: 'snapshot',
    requests: () => [{ slice: 'all', arguments: { query: {} }, filter: {} }],
  },
  deletions: {
    by: 'detail',
    operation: getSmsConsent,
    path: (row) => ({ consentId: row.consent_id ?? '' }),
  },
})

/** Each policy's list is read again daily, because swapped numbers may leave the policy's row unchanged. */
export const smsConsentNumbers = defineStream({
  name: 'sms_consent_numbers',
  about: 'One phone number that is under a consent policy.',
  operation: listSmsConsentNumbers,
  columns: {
    consent_id: text('ID of the policy, from sms_consents.consent_id.'),
    phone_number_id: text('ID of the number, from phone_numbers.id.'),
    phone_number: text('The phone number.'),
    account_id: text("ID that the service gives the number's account."),
  },
  key: ['consent_id', 'phone_number_id'],
  expected: ['phone_number'],
  personal: [],
  transient: [],
  volatile: [],
  sync: {
    kind: 'fan-out',
    parent: smsConsents,
    order: 'create_time',
    request: ([id = '']) => ({
      slice: `consent=${id}`,
      arguments: { path: { consentId: id } },
      filter: {},
    }),
    again: { versions: ['modify_time', 'used_number'], maxAgeDays: 1 },
  },
  deletions: { by: 'second-read', afterMs: 0 },
  derive: (_record, { parent }) => ({ consent_id: parent?.key[0] }),
})
