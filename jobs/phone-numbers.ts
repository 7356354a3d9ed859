import { defineJob } from '../src/core/define/job.ts'
import { phoneNumberAssignments, phoneNumbers } from '../src/resources/phone-numbers.ts'

export default defineJob({
  name: 'phone-numbers',
  title: 'Phone numbers and what they are assigned to',
  schedule: '0 3 * * *',
  streams: [phoneNumbers, phoneNumberAssignments],
})
