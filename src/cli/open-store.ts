import { join } from 'node:path'
import type { FileStore } from '../archive/store.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import type { Config } from '../config/schema.ts'

/** The store of an account's files, not opened yet. What only a bucket needs is read only for a bucket. */
export async function openStore(
  { archive }: Pick<Config, 'archive'>,
  { name }: Pick<AccountSettings, 'name'>,
): Promise<FileStore> {
  const { createDirectoryStore } = await import('../archive/directory-store.ts')
  return createDirectoryStore(join(archive.directory, name))
}
