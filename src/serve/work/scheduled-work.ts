import { jobs } from '../../account/catalog.ts'
import { pick } from '../../account/choose.ts'
import { hasNotificationSecrets } from '../../account/request-secrets.ts'
import { dueOf, jobsOf, reportsOf } from '../../config/account-jobs.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import { jobsBefore } from '../../core/define/job.ts'
import { ConfigurationError } from '../../core/errors.ts'
import type { Work } from '../queue/dispatcher.ts'

/** The work of one process, by the configuration. */
export interface ScheduledWork {
  accounts: readonly AccountSettings[]
  works: readonly Work[]
  /** The accounts whose notifications this process receives. */
  receiving: readonly AccountSettings[]
}

export interface ScheduleOptions {
  only?: 'schedule' | 'notifications'
}

export function scheduledWork(config: Config, { only }: ScheduleOptions): ScheduledWork {
  const { accounts } = config
  const works =
    only === 'notifications'
      ? []
      : [
          ...accounts.flatMap((account) => jobWorks(config, account)),
          ...reportWorks(config, accounts),
          ...taskWorks(config, accounts),
        ]
  const receiving = only === 'schedule' ? [] : accounts.filter(hasNotificationSecrets)
  return { accounts, works, receiving }
}

/** Throws if no database has work for this process. */
export function refuseIdle(all: readonly ScheduledWork[], { only }: ScheduleOptions): void {
  if (all.some(({ works, receiving }) => works.length > 0 || receiving.length > 0)) return
  throw new ConfigurationError('nothing_to_serve', {
    tried: 'Starting the service',
    came: only === 'notifications' ? 'no account has notificationSecrets' : 'no job has a schedule',
    todo:
      only === 'notifications'
        ? 'copy the secrets on the page of the app to accounts[].notificationSecrets'
        : 'set jobs.NAME to a schedule in the configuration',
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

function reportWorks(config: Config, accounts: readonly AccountSettings[]): Work[] {
  const due = Object.entries(reportsOf(config))
  return accounts.flatMap(({ name }) =>
    due.map(([job, when]) => ({ account: name, job, ...when, kind: 'report' as const })),
  )
}

/**
 * Returns the scheduled tasks. Ledgers belong to the whole database, so only the first account has the task
 * that prunes them.
 */
export function taskWorks(
  config: Config,
  accounts: readonly Pick<AccountSettings, 'name'>[],
): Work[] {
  const due = Object.entries(dueOf(config.tasks, config.timezone))
  const prunes = config.ledger.keepMonths !== null
  return accounts.flatMap(({ name }, at) =>
    due
      .filter(([task]) => task !== LEDGER_PRUNE || (at === 0 && prunes))
      .map(([job, when]) => ({ account: name, job, ...when, kind: 'task' as const })),
  )
}

const LEDGER_PRUNE = 'ledger-prune' satisfies keyof Config['tasks']
