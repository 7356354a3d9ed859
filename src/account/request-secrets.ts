import type { AccountSettings } from '../config/account-settings.ts'
import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'

/**
 * Returns the secrets that authenticate an account's notifications, and so the erasure requests in them.
 * Skips secrets that this machine cannot read. Without any, the requests wait until a person confirms them.
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

export function hasNotificationSecrets({ notificationSecrets }: AccountSettings): boolean {
  return notificationSecrets.length > 0
}
