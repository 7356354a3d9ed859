import { defineJob } from '../src/core/define/job.ts'
import {
  phoneNumberAssignmentDetails,
  phoneNumberDetails,
} from '../src/resources/phone-number-details.ts'
import { portedOrderDetails } from '../src/resources/ported-order-details.ts'
import { smsConsentDetails } from '../src/resources/sms-consent-details.ts'

export default defineJob({
  name: 'number-details',
  title: 'Details of phone numbers, ported orders and SMS consent policies that no list shows',
  schedule: '0 4 * * *',
  streams: [
    phoneNumberDetails,
    phoneNumberAssignmentDetails,
    portedOrderDetails,
    smsConsentDetails,
  ],
})
