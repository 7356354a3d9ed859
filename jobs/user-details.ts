import { defineJob } from '../src/core/declare/job.ts'
import { userDetails, userPhoneNumbers } from '../src/resources/user-details.ts'

export default defineJob({
  name: 'user-details',
  title: 'What only their details tell of users: groups, logins, attributes, phone numbers',
  schedule: '40 4 * * *',
  streams: [userDetails, userPhoneNumbers],
})
