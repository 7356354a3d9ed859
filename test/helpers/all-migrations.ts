import { readdirSync } from 'node:fs'
import type { Migration } from 'kysely/migration'
import type { Migrations } from '../../src/warehouse/connection/migrate.ts'

/** Every migration that lies in the directory, whatever the catalog lists. */
export async function allMigrations(): Promise<Migrations> {
  const directory = new URL('../../migrations/', import.meta.url)
  const names = readdirSync(directory).filter((name) => name.endsWith('.ts'))
  const loaded = names.sort().map(async (name) => {
    const migration = (await import(new URL(name, directory).href)) as Migration
    return [name.replace('.ts', ''), { up: migration.up }] as const
  })
  return Object.fromEntries(await Promise.all(loaded))
}
