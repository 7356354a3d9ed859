import type { Migration } from 'kysely/migration'
import { filesIn } from '../core/files-in.ts'
import type { Migrations } from '../warehouse/migrate.ts'

/** Migrations by file name, which sets their order. Each is loaded when it is applied. */
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
