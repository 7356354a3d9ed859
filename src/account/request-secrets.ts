import type { AccountSettings } from '../config/account-settings.ts'
import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'

/**
 * What notifications of an account are signed with: the requests that came of them are believed by it. None
 * where this machine has none, or cannot read them: such requests then wait for a person who says that they
 * are ours.
 */
export function requestSecrets({ accounts }: Config, account: string): string[] {
  const secrets = accounts.find(({ name }) => name === account)?.notificationSecrets ?? []
  return secrets.flatMap((secret) => {
    try {
      return [secret.reveal()]
    } catch (error) {
      if (error instanceof ConfigurationError) return []
      throw error
    }
  })
}

/** Whether an account has been given what its notifications are signed with. */
export function hasNotificationSecrets({ notificationSecrets }: AccountSettings): boolean {
  return notificationSecrets.length > 0
}
