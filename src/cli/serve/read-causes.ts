import type { AccountSettings } from '../../config/account-settings.ts'
import type { Cause } from '../../core/declare/cause.ts'
import { readHealth } from '../accounts/account-health.ts'
import { installationHealth } from '../accounts/installation-health.ts'
import type { Opened } from './read-snapshot.ts'

/** What is wrong with the installation is wrong for each account. */
export async function readCauses(opened: Opened, settings: AccountSettings): Promise<Cause[]> {
  return [...(await installationHealth(opened.wiring)), ...(await readHealth(opened, settings))]
}
