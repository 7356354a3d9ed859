import { defineJob } from '../src/core/job.ts'
import {
  phoneNumberAssignmentDetails,
  phoneNumberDetails,
} from '../src/resources/phone-number-details.ts'
import { portedOrderDetails } from '../src/resources/ported-order-details.ts'

export default defineJob({
  name: 'number-details',
  title: 'What only their details tell of phone numbers, their assignments, and ported orders',
  schedule: '0 4 * * *',
  streams: [phoneNumberDetails, phoneNumberAssignmentDetails, portedOrderDetails],
})
