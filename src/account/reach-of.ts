import type { AccountSettings } from '../config/account-settings.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'

/** How far the account's lists are read, and how its service is asked for them. */
export function reachOf({
  historyDays,
  recordingTrash,
}: AccountSettings): Required<Pick<EngineDeps, 'historyDays' | 'withoutTrash'>> {
  return { historyDays, withoutTrash: !recordingTrash }
}
