import { jobsOf } from '../config/account-jobs.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import type { Config } from '../config/schema.ts'
import type { Job } from '../core/define/job.ts'
import { jobs } from './catalog.ts'
import { pick } from './choose.ts'

/** Returns the named jobs, or all that are scheduled for the account. */
export function chooseJobs(
  names: readonly string[],
  config: Config,
  account: AccountSettings,
): readonly Job[] {
  const due = jobsOf(config, account)
  if (names.length === 0) return jobs.filter(({ name }) => due[name] !== undefined)
  const chosen = new Set(names.map((name) => pick('job', name, jobs)))
  return jobs.filter((job) => chosen.has(job))
}
