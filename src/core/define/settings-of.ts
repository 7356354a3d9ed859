import type { Report } from './report.ts'

/** Returns a report's entry under `reports.settings`, with the settings that it shares with other reports. */
export function settingsOf(
  { name, sharedSettings = {} }: Pick<Report, 'name' | 'sharedSettings'>,
  all: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Readonly<Record<string, unknown>> | undefined {
  const shared = Object.entries(sharedSettings).flatMap(([other, names]) =>
    names.map((setting) => [setting, all[other]?.[setting]] as const),
  )
  return shared.length === 0 ? all[name] : { ...all[name], ...Object.fromEntries(shared) }
}
