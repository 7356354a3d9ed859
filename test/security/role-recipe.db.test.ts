import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { migrations } from '../../src/account/migrations.ts'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { migrate } from '../../src/warehouse/migrate.ts'
import { grantRoles } from '../../src/warehouse/roles.ts'
import { onDatabase } from '../helpers/database-url.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'security.md'), 'utf8')
const chapter = page.split(/^### /m).find((text) => text.startsWith('Roles\n')) ?? ''
const suffix = randomBytes(4).toString('hex')
/** The names of the page with one ending for all: the whole server shares its roles. */
const named = (text: string): string =>
  text.replaceAll(/\bcallsheet\w*/g, (name) => `${name}_${suffix}`)
const [, recipe = ''] = /```sql roles\n([\s\S]*?)```/.exec(chapter) ?? []
const statements = named(recipe.replaceAll(`'...'`, `'secret'`)).trim().split('\n')
const made = [...named(recipe).matchAll(/^create role (\w+)/gm)].map(([, role = '']) => role)
const [, flags = ''] = /^callsheet migrate (.*)$/m.exec(chapter) ?? []
const granted = Object.fromEntries(
  [...flags.matchAll(/--(\w+) (\w+)/g)].map(([, kind = '', role = '']) => [kind, named(role)]),
)

const urlOf = (role: string): string => {
  const url = new URL(onDatabase(inject('serverUrl'), named('callsheet')))
  return Object.assign(url, { username: role, password: 'secret' }).href
}

let admin: Warehouse
beforeAll(async () => {
  admin = connect({ url: inject('serverUrl'), poolSize: 1 })
  for (const statement of statements) await admin.withClient((client) => client.query(statement))
})
afterAll(async () => {
  const dropped = [`database if exists ${named('callsheet')} with (force)`]
  dropped.push(...made.map((role) => `role if exists ${role}`))
  for (const what of dropped) await admin.withClient((client) => client.query(`drop ${what}`))
  await admin.close()
})

describe('the documented setup of roles', () => {
  it('creates every role that Callsheet needs, and lets it connect', async () => {
    expect(Object.keys(granted).toSorted()).toEqual(['eraser', 'receiver', 'reporter', 'writer'])
    const owned = connect({ url: urlOf(named('callsheet_owner')) })
    await migrate(owned, migrations)
    expect(await grantRoles(owned, granted)).toHaveLength(4)
    await owned.close()
    const working = [...chapter.matchAll(/with database\.url of (\w+)/g)].map(
      ([, role = '']) => role,
    )
    expect(working.length).toBeGreaterThan(2)
    for (const role of new Set([...working.map(named), ...Object.values(granted), ...made])) {
      const opened = connect({ url: urlOf(role), poolSize: 1 })
      const { rows } = await opened.withClient((client) =>
        client.query('select current_user as who'),
      )
      expect(rows).toEqual([{ who: role }])
      await opened.close()
    }
  })

  it('lets no other role connect', async () => {
    const stranger = `stranger_${suffix}`
    await admin.withClient((client) =>
      client.query(`create role ${stranger} login password 'secret'`),
    )
    const opened = connect({ url: urlOf(stranger), poolSize: 1 })
    const refused = opened.withClient((client) => client.query('select 1'))
    await expect(refused).rejects.toThrow(/permission denied|CONNECT/)
    await opened.close()
    await admin.withClient((client) => client.query(`drop role ${stranger}`))
  })
})
