import type { Migration } from 'kysely/migration'
import { filesIn } from '../core/files-in.ts'
import type { Migrations } from '../warehouse/migrate.ts'

/** By the names of their files, in whose order they are applied. Each is loaded when it is applied. */
export const migrations: Migrations = Object.fromEntries(
  [...filesIn('migrations')].map(([name, address]) => [name, migrationAt(address)]),
)

function migrationAt(address: string): Migration {
  return {
    async up(db) {
      const { up }: Migration = await import(address)
      await up(db)
    },
  }
}
