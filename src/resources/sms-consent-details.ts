import { integer, text } from '../core/define/column.ts'
import { defineStream } from '../core/define/define-stream.ts'
import { getSmsConsent, smsConsents } from './sms-consents.ts'

/** The list of policies shows neither the creator of a policy nor its capacity. */
export const smsConsentDetails = defineStream({
  name: 'sms_consent_details',
  about: 'What the service shows of one consent policy only when asked for that policy alone.',
  operation: getSmsConsent,
  columns: {
    consent_id: text('ID of the policy, from sms_consents.consent_id.'),
    user_id: text('ID of the user who created the policy, from users.id.'),
    capacity: integer('How many numbers the policy can take at most.'),
  },
  key: ['consent_id'],
  personal: ['user_id'],
  also: Object.keys(smsConsents.columns),
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
    again: { versions: ['_hash'], maxAgeDays: 30 },
  },
  deletions: { by: 'parent' },
  derive: (_record, { parent }) => ({ consent_id: parent?.key[0] }),
})
