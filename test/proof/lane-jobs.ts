import { jobs } from '../../src/cli/catalog.ts'
import type { Job } from '../../src/core/job.ts'

/**
 * What the lanes sync. Boards and the settings of numbers come by the same points as all others, boards at
 * ten times the calls.
 */
export const LANE_JOBS: readonly Job[] = jobs.filter(
  ({ name }) => name !== 'whiteboards' && name !== 'number-settings',
)
