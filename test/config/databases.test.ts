import { expect, it } from 'vitest'
import { databaseOf, databasesOf } from '../../src/config/databases.ts'
import { account, useConfigFolder } from './config-folder.ts'

const { load, refusal } = useConfigFolder()

/** Accounts main, second, ..., each in the given database; undefined names none. */
function written(databases: readonly (string | undefined)[], top: readonly string[] = []): string {
  const [head = '', , ...rest] = account
  const entries = databases.flatMap((database, index) => [
    `  - name: ${index === 0 ? 'main' : `account-${index}`}`,
    ...rest.map((line) => (line.includes('accountId') ? `${line}${index}` : line)),
    ...(database === undefined ? [] : [`    database: ${database}`]),
  ])
  return [...top, head, ...entries].join('\n')
}

const EAST = 'databases: {east: {url: "postgresql://db.east.example/callsheet", pool: 9}}'

it('each database has its own accounts and connections; the default one may have no accounts', () => {
  const { config } = load(written([undefined, 'east', 'default', 'east'], [EAST]), { SECRET: 's' })
  const databases = databasesOf(config).map(({ database, config: { accounts, database: of } }) => ({
    database,
    accounts: accounts.map(({ name }) => name),
    pool: of.pool,
    url: of.url?.reveal(),
  }))
  const url = 'postgresql://db.east.example/callsheet'
  expect(databases).toEqual([
    { database: 'default', accounts: ['main', 'account-2'], pool: 6, url: undefined },
    { database: 'east', accounts: ['account-1', 'account-3'], pool: 9, url },
  ])
  expect(databaseOf(config, 'account-3')?.database).toBe('east')
  expect(databaseOf(config, 'nobody')).toBeUndefined()
  const alone = load(written(['east'], [EAST]), { SECRET: 's' }).config
  expect(databasesOf(alone).map(({ database }) => database)).toEqual(['east'])
})

it.each([
  ['wets', EAST, 'accounts[0].database: expected one of default, east'],
  [undefined, 'databases: {default: {url: "postgresql://h/d"}}', 'databases.default'],
  [undefined, 'databases: {east: {}}', 'databases.east.url'],
  [
    undefined,
    'databases: {east: {pools: 3}}',
    'databases.east.pools is not a setting; did you mean pool?',
  ],
])('the database %s with %s is refused', (database, top, says) => {
  expect(refusal(written([database], [top]))).toContain(says)
})
