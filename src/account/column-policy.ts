import type { AccountSettings } from '../config/account-settings.ts'
import type { Config } from '../config/schema.ts'
import { columnsKey } from '../config/token-key.ts'
import { type ColumnPolicy, openColumnPolicy } from '../core/records/column-policy.ts'
import { streams } from './catalog.ts'

/** Returns what the account must not store; undefined if it stores all fields. Reads the key when needed. */
export function columnPolicyOf(
  config: Pick<Config, 'columnsKey' | 'stateDirectory'>,
  { name, columns }: Pick<AccountSettings, 'name' | 'columns'>,
): ColumnPolicy | undefined {
  if (Object.keys(columns).length === 0) return undefined
  let made: Uint8Array | undefined
  return openColumnPolicy(columns, { streams, key: () => (made ??= columnsKey(config, name)) })
}
