import type { AccountSettings } from './account-settings.ts'
import { NEVER } from './fields.ts'
import type { Config } from './schema.ts'

interface Due {
  schedule: string
  timezone: string
}

/** The jobs that an account runs by itself, and when: as all do, but for what its own settings say. */
export function jobsOf(
  { jobs, timezone }: Pick<Config, 'jobs' | 'timezone'>,
  { jobs: own }: Pick<AccountSettings, 'jobs'>,
): Readonly<Record<string, Due>> {
  return dueOf({ ...jobs, ...own }, timezone)
}

/** What is due by itself of what has these schedules, and when. */
export function dueOf(
  schedules: Readonly<Record<string, string>>,
  timezone: string,
): Readonly<Record<string, Due>> {
  const due = Object.entries(schedules).filter(([, schedule]) => schedule !== NEVER)
  return Object.fromEntries(due.map(([name, schedule]) => [name, { schedule, timezone }]))
}
