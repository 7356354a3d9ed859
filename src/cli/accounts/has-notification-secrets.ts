import type { AccountSettings } from '../../config/account-settings.ts'

/** Whether an account has been given what its notifications are signed with. */
export function hasNotificationSecrets({ notificationSecrets }: AccountSettings): boolean {
  return notificationSecrets.length > 0
}
