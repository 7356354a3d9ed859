import type { AccountSettings } from '../config/account-settings.ts'
import type { EngineDeps } from '../sync/run/run-context.ts'

/** Returns how much of the account's data is read: how far back, which rows, and whether the trash. */
export function reachOf({
  historyDays,
  recordingTrash,
  rows,
}: AccountSettings): Required<Pick<EngineDeps, 'historyDays' | 'withoutTrash' | 'rows'>> {
  return { historyDays, withoutTrash: !recordingTrash, rows }
}
