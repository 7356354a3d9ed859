import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { inject } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { onDatabase } from '../helpers/database-url.ts'
import { WORLD_NOW, type World } from '../helpers/world.ts'

/** A database and a folder that tests copy, each for a process that is killed. */
export interface FrozenPlace {
  folder: string
  template: string
  drop(): Promise<void>
}

export interface ThawedPlace {
  folder: string
  configFile: string
  databaseUrl: string
  warehouse: Warehouse
  close(): Promise<void>
}

/** Copies the database and folder of a world. */
export async function freezePlace(world: World): Promise<FrozenPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-frozen-'))
  const from = dirname(world.place.configFile)
  cpSync(from, folder, { recursive: true })
  const configFile = join(folder, 'config.yaml')
  writeFileSync(configFile, readFileSync(configFile, 'utf8').replaceAll(from, folder))
  await sql`update callsheet.published_reports
    set files = replace(files::text, ${from}, ${folder})::jsonb`.execute(world.warehouse.db)
  const name = new URL(world.place.databaseUrl).pathname.slice(1)
  const template = `${name}_frozen`
  // Postgres copies a database only if nobody is connected to it.
  await administer(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  )
  await administer(`create database ${template} template ${name} strategy file_copy`)
  return {
    folder,
    template,
    async drop() {
      await administer(`drop database ${template}`)
      rmSync(folder, { recursive: true })
    },
  }
}

/** Copies a frozen place to work in. */
export async function thawPlace(place: FrozenPlace): Promise<ThawedPlace> {
  const name = `${place.template}_copy`
  await administer(`create database ${name} template ${place.template} strategy file_copy`)
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-erased-'))
  cpSync(place.folder, folder, { recursive: true })
  const configFile = join(folder, 'config.yaml')
  const moved = readFileSync(configFile, 'utf8').replaceAll(place.folder, folder)
  writeFileSync(configFile, moved)
  const databaseUrl = onDatabase(inject('serverUrl'), name)
  const warehouse = connect({ url: databaseUrl, frozenNow: Date.parse(WORLD_NOW), poolSize: 2 })
  await sql`update callsheet.published_reports
    set files = replace(files::text, ${place.folder}, ${folder})::jsonb`.execute(warehouse.db)
  return {
    folder,
    configFile,
    databaseUrl,
    warehouse,
    async close() {
      await warehouse.close()
      await administer(`drop database ${name} with (force)`)
      rmSync(folder, { recursive: true })
    },
  }
}

async function administer(statement: string): Promise<void> {
  const admin = connect({ url: inject('serverUrl'), poolSize: 1 })
  try {
    await admin.withClient((client) => client.query(statement))
  } finally {
    await admin.close()
  }
}
