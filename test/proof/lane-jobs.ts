import { jobs } from '../../src/account/catalog.ts'
import type { Job } from '../../src/core/define/job.ts'
import { shortJobs } from '../helpers/short-jobs.ts'

const LEFT_OUT = new Set([
  'whiteboards',
  'number-settings',
  'number-details',
  'recording-details',
  'user-details',
])

/**
 * What the lanes of crashes and of sockets sync: boards, details and the settings of numbers come by the same
 * statements and the same calls as all others, boards and details at ten times the calls.
 */
export const LANE_JOBS: readonly Job[] = jobs.filter(({ name }) => !LEFT_OUT.has(name))

/** What is killed: every job, with the windows of half a year instead of ten. */
export const KILLED_JOBS: readonly Job[] = shortJobs(jobs, 182)
