import { defineJob } from '../src/core/define/job.ts'
import { users } from '../src/resources/users.ts'

export default defineJob({
  name: 'users',
  title: 'Users of the account, in every status',
  schedule: '0 1 * * *',
  streams: [users],
})
