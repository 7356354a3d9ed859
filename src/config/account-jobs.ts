import type { AccountSettings } from './account-settings.ts'
import type { Config } from './schema.ts'

type JobSettings = Config['jobs'][string]

/** When an account runs which job: as all do, but for what its own settings say. */
export function jobsOf(
  { jobs }: Pick<Config, 'jobs'>,
  { jobs: own }: Pick<AccountSettings, 'jobs'>,
): Record<string, JobSettings> {
  return Object.fromEntries(
    Object.entries(jobs).map(([name, usual]) => {
      const { schedule, timezone, enabled } = own[name] ?? {}
      return [
        name,
        {
          schedule: schedule ?? usual.schedule,
          timezone: timezone ?? usual.timezone,
          enabled: enabled ?? usual.enabled,
        },
      ]
    }),
  )
}
