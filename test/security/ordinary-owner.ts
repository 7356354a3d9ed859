import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { inject } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { grantRoles } from '../../src/warehouse/roles.ts'
import { onDatabase } from '../helpers/database-url.ts'

export interface Cast {
  /** The names of the roles, which the whole server shares. */
  owner: string
  writer: string
  reporter: string
  receiver: string
  eraser: string
  stranger: string
  url(role: string): string
  owned: Warehouse
  /** Removes database and roles, once nobody is connected as the owner any more. */
  drop(): Promise<void>
  close(): Promise<void>
}

/**
 * A database that an ordinary role owns and migrated, with a writer, a reporter, a receiver, an eraser and
 * a stranger: as an administrator would set it up.
 */
export async function castOfRoles(): Promise<Cast> {
  const suffix = randomBytes(4).toString('hex')
  const name = `roles_${suffix}`
  const named = (role: string): string => `${role}_${suffix}`
  const [owner, writer, reporter] = [named('owner'), named('writer'), named('reporter')]
  const [receiver, stranger] = [named('receiver'), named('stranger')]
  const eraser = named('eraser')
  const roles = [owner, writer, reporter, receiver, eraser, stranger]
  const admin = connect({ url: inject('serverUrl'), poolSize: 1 })
  for (const role of roles)
    await sql.raw(`create role ${role} login password '${role}'`).execute(admin.db)
  await sql.raw(`create database ${name} owner ${owner}`).execute(admin.db)
  const url = (role: string): string => {
    const target = new URL(onDatabase(inject('serverUrl'), name))
    target.username = target.password = role
    return target.href
  }
  const owned = connect({ url: url(owner) })
  await migrate(owned, migrations)
  await grantRoles(owned, { writer, reporter, receiver, eraser })
  const drop = async (): Promise<void> => {
    await sql.raw(`drop database if exists ${name} with (force)`).execute(admin.db)
    for (const role of roles) await sql.raw(`drop role ${role}`).execute(admin.db)
    await admin.close()
  }
  const close = async (): Promise<void> => {
    await owned.close()
    await drop()
  }
  return { owner, writer, reporter, receiver, eraser, stranger, url, owned, drop, close }
}
