import type { AccountSettings } from '../../config/account-settings.ts'
import type { Cause } from '../../core/define/cause.ts'
import { readHealth } from '../health/account-health.ts'
import { installationHealth } from '../health/installation-health.ts'
import type { Opened } from './read-snapshot.ts'

/**
 * What is wrong with the installation is wrong for each account. What this process has not tried yet since it
 * has been able to is no cause so far.
 */
export async function readCauses(
  opened: Opened,
  settings: AccountSettings,
  awakeMs: number,
): Promise<Cause[]> {
  const own = await readHealth(opened, settings, { awakeMs })
  const shared = await installationHealth(opened.wiring)
  return [...shared, ...own.filter(({ quiet }) => quiet !== 'untried')]
}
