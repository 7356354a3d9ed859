import type { AccountSettings } from '../config/account-settings.ts'
import { nearest } from '../config/nearest.ts'
import type { Config } from '../config/schema.ts'
import { ConfigurationError } from '../core/errors.ts'

/** Returns the named account, or all configured accounts. */
export function chooseAccounts(config: Config, name: string | undefined): AccountSettings[] {
  return name === undefined ? config.accounts : [pick('account', name, config.accounts)]
}

/** Returns the named account, or the only one; `tried` is the action that the error names. */
export function chooseOneAccount(
  config: Config,
  name: string | undefined,
  tried: string,
): AccountSettings {
  const [first, second] = chooseAccounts(config, name)
  if (first !== undefined && second === undefined) return first
  throw new ConfigurationError('account_needed', {
    tried,
    came: 'there are several accounts, and --account is missing',
    todo: 'add --account NAME',
  })
}

/** Returns the item with this name; the error lists the existing names. */
export function pick<T extends { name: string }>(kind: string, name: string, all: readonly T[]): T {
  const found = all.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = all.map((one) => one.name)
  const meant = nearest(name, names)
  throw new ConfigurationError(`unknown_${kind}`, {
    tried: `Looking for the ${kind} ${name.slice(0, 60)}`,
    expected: `one of ${names.join(', ')}`,
    came: `there is no ${kind} of this name`,
    ...(meant === undefined ? {} : { todo: `did you mean ${meant}?` }),
  })
}
