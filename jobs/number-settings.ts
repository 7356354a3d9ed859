import { defineJob } from '../src/core/define/job.ts'
import { portedOrders, sipGroups, sipTrunks } from '../src/resources/number-settings.ts'
import { carrierPeeringNumbers, peeringNumbers } from '../src/resources/peering-numbers.ts'
import { smsConsentNumbers, smsConsents } from '../src/resources/sms-consents.ts'

export default defineJob({
  name: 'number-settings',
  title: 'SMS consent policies, ported orders, SIP groups and trunks, and numbers of partners',
  schedule: '15 3 * * *',
  streams: [
    smsConsents,
    smsConsentNumbers,
    portedOrders,
    sipGroups,
    sipTrunks,
    peeringNumbers,
    carrierPeeringNumbers,
  ],
})
