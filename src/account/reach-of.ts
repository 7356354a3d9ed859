import type { AccountSettings } from '../config/account-settings.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'

/** Returns how far back the account's lists are read, and whether to omit requests for the trash. */
export function reachOf({
  historyDays,
  recordingTrash,
}: AccountSettings): Required<Pick<EngineDeps, 'historyDays' | 'withoutTrash'>> {
  return { historyDays, withoutTrash: !recordingTrash }
}
