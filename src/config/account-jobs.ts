import type { AccountSettings } from './account-settings.ts'
import { NEVER } from './fields.ts'
import type { Config } from './schema.ts'

interface Due {
  schedule: string
  timezone: string
}

/** Returns an account's scheduled jobs: the general schedules, overridden by its own settings. */
export function jobsOf(
  { jobs, timezone }: Pick<Config, 'jobs' | 'timezone'>,
  { jobs: own }: Pick<AccountSettings, 'jobs'>,
): Readonly<Record<string, Due>> {
  return dueOf({ ...jobs, ...own }, timezone)
}

/** Returns when each scheduled report is due, by the name of its job. */
export function reportsOf({
  reports,
  timezone,
}: Pick<Config, 'reports' | 'timezone'>): Readonly<Record<string, Due>> {
  const schedules = Object.entries(reports.jobs).map(([job, { schedule }]) => [job, schedule])
  return dueOf(Object.fromEntries(schedules), timezone)
}

/** Returns the entries that are not `never`, each with the time zone. */
export function dueOf(
  schedules: Readonly<Record<string, string>>,
  timezone: string,
): Readonly<Record<string, Due>> {
  const due = Object.entries(schedules).filter(([, schedule]) => schedule !== NEVER)
  return Object.fromEntries(due.map(([name, schedule]) => [name, { schedule, timezone }]))
}
