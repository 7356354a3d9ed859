import { jobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import { hasNotificationSecrets } from '../../account/request-secrets.ts'
import { jobsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import { jobsBefore } from '../../core/define/job.ts'
import { ConfigurationError } from '../../core/errors.ts'
import type { Work } from '../queue/dispatcher.ts'
import { isReport, reportWorks } from './report-work.ts'
import { isTask, taskWorks } from './task-work.ts'

/** What one process is to do. */
export interface Parts {
  accounts: readonly AccountSettings[]
  works: readonly Work[]
  /** The accounts whose notifications it receives. */
  told: readonly AccountSettings[]
}

export interface PartOptions {
  only?: 'schedule' | 'notifications'
}

export function partsOf(config: Config, { only }: PartOptions): Parts {
  const { accounts } = config
  const works = only === 'notifications' ? [] : accounts.flatMap((one) => jobWorks(config, one))
  if (only !== 'notifications')
    works.push(...reportWorks(config, accounts), ...taskWorks(config, accounts))
  const told = only === 'schedule' ? [] : accounts.filter(hasNotificationSecrets)
  if (works.length > 0 || told.length > 0) return { accounts, works, told }
  throw new ConfigurationError('nothing_to_serve', {
    tried: 'Starting the service',
    expected: 'a job with a schedule, or an account with notificationSecrets',
    came:
      only === 'notifications'
        ? 'no account has notificationSecrets'
        : 'the schedule of each job is never',
    todo: 'set jobs.NAME to a schedule, or accounts[].notificationSecrets to what the app page shows',
  })
}

function jobWorks(config: Config, account: AccountSettings): Work[] {
  return Object.entries(jobsOf(config, account)).map(([job, due]) => ({
    account: account.name,
    job,
    ...due,
    after: jobsBefore(pick('job', job, jobs), jobs).map(({ name }) => name),
  }))
}

/** The works whose due times decide whether an account is well. */
export function syncedWorks({ works }: Parts): Work[] {
  return works.filter((work) => !isReport(work) && !isTask(work))
}
