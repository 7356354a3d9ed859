import { z } from 'zod'
import { boolean, instant, integer, json, text } from '../../src/core/column.ts'
import { defineOperation } from '../../src/core/operation.ts'
import { defineStream } from '../../src/core/stream.ts'
import { listEnvelope, listQuery } from '../../src/resources/list-query.ts'

export const listSmsConsents = defineOperation({
  id: 'sms_consents.list',
  summary: 'List the SMS consent policies',
  method: 'GET',
  path: '/number_management/sms_consent',
  scopes: ['number_management_numbers:read:admin'],
  granularScopes: ['number_management:read:sms_consent:admin'],
  rate: 'MEDIUM',
  bearer: 'oauth',
  query: z.object({ ...listQuery(300) }),
  response: z.looseObject({ ...listEnvelope, sms_consent: z.array(z.unknown()) }),
  paging: { style: 'token', items: 'sms_consent', maxPageSize: 300, tokenErrorCodes: ['1003100'] },
})

export const smsConsents = defineStream({
  name: 'sms_consents',
  operation: listSmsConsents,
  columns: {
    consent_id: text(),
    consent_name: text(),
    description: text(),
    used_number: integer(),
    status: boolean(),
    in_out_bound: json(),
    create_time: instant(),
    modify_time: instant(),
  },
  key: ['consent_id'],
  personal: [],
  transient: [],
  noisy: [],
  sync: {
    kind: 'snapshot',
    requests: () => [{ slice: 'all', arguments: { query: {} }, filter: {} }],
  },
  gone: { by: 'second-reading', afterMs: 0 },
})
