import { jobs } from '../../src/cli/catalog.ts'
import type { Job } from '../../src/core/job.ts'

const LEFT_OUT = new Set([
  'whiteboards',
  'number-settings',
  'number-details',
  'recording-details',
  'user-details',
])

/**
 * What the lanes sync. Boards, details and the settings of numbers come by the same points as all others,
 * boards and details at ten times the calls.
 */
export const LANE_JOBS: readonly Job[] = jobs.filter(({ name }) => !LEFT_OUT.has(name))
