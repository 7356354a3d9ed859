import { defineJob } from '../src/core/define/job.ts'
import { userDetails, userPhoneNumbers } from '../src/resources/user-details.ts'

export default defineJob({
  name: 'user-details',
  title: 'Details of users that no list shows: groups, logins, attributes, phone numbers',
  schedule: '40 4 * * *',
  streams: [userDetails, userPhoneNumbers],
})
