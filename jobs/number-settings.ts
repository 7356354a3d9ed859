import { defineJob } from '../src/core/job.ts'
import { portedOrders, sipGroups, sipTrunks } from '../src/resources/number-settings.ts'
import { smsConsentNumbers, smsConsents } from '../src/resources/sms-consents.ts'

export default defineJob({
  name: 'number-settings',
  title: 'SMS consent policies and their numbers, ported orders, SIP groups and trunks',
  schedule: '15 3 * * *',
  streams: [smsConsents, smsConsentNumbers, portedOrders, sipGroups, sipTrunks],
})
