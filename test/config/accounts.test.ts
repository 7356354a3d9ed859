import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { jobsOf } from '../../src/config/account-jobs.ts'
import { configSchema } from '../../src/config/schema.ts'
import { account, jobs, useConfigFolder } from './config-folder.ts'

const { inFolder, load, refusal } = useConfigFolder()

const own = account.map((line) => line.replace('main', 'first')).join('\n')

/** Writes files, each given by its lines, into the folder of accounts. */
function write(files: Record<string, readonly string[]>): void {
  mkdirSync(inFolder('accounts.d'))
  for (const [name, lines] of Object.entries(files))
    writeFileSync(inFolder(`accounts.d/${name}`), lines.join('\n'))
}
const another = (name: string, ...more: string[]): string[] => [
  `name: ${name}`,
  ...account.slice(2).map((line) => line.trim()),
  ...more,
]

describe('a folder of accounts', () => {
  it('adds the account of each file, in name order, after those of the configuration file', () => {
    write({ 'b.yml': another('second'), 'a.yaml': another('third'), 'notes.txt': ['not read'] })
    const { config } = load(`accountsDirectory: accounts.d\n${own}`)
    expect(config.accounts.map(({ name }) => name)).toEqual(['first', 'third', 'second'])
    expect(load('accountsDirectory: accounts.d').config.accounts).toHaveLength(2)
  })

  it('is rejected with the file of a wrong setting, or for a repeated account name', () => {
    write({ 'a.yaml': another('second', 'reserve: 2') })
    const text = `accountsDirectory: accounts.d\n${own}`
    expect(refusal(text)).toContain(
      'accounts.d/a.yaml:7:10 accounts[1].reserve: expected at most 0.9',
    )
    writeFileSync(inFolder('accounts.d/a.yaml'), another('first').join('\n'))
    expect(refusal(text)).toContain('accounts with different names')
    writeFileSync(inFolder('accounts.d/a.yaml'), another('second', 'resevre: 0.1').join('\n'))
    expect(refusal(text)).toContain('accounts.d/a.yaml:7:1')
  })

  it('must exist', () => {
    expect(refusal(`accountsDirectory: nowhere\n${own}`)).toContain('the folder does not exist')
  })

  it('must be a folder: if a file exists at its path, the error does not advise to create it', () => {
    writeFileSync(inFolder('one.yaml'), '')
    const said = refusal(`accountsDirectory: one.yaml\n${own}`)
    expect(said).toContain('make accountsDirectory a folder that this user can read')
    expect(said).not.toContain('create the folder')
  })

  it('can contain a thousand accounts', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `a${index}`)
    write(Object.fromEntries(names.map((name) => [`${name}.yaml`, another(name)])))
    expect(load('accountsDirectory: accounts.d').config.accounts).toHaveLength(1000)
  })

  it('has no maximum number of accounts', () => {
    const accounts = Array.from({ length: 10_001 }, (_, index) => ({
      name: `a${index}`,
      baseUrl: 'https://api.svc.example/v2',
      authUrl: 'https://svc.example',
      accountId: `${index}`,
      clientId: 'app',
      clientSecret: 'env:SECRET',
    }))
    const read = configSchema({ jobs, reportJobs: [] }).safeParse({ accounts })
    expect(read.data?.accounts).toHaveLength(10_001)
  })
})

describe('the jobs of one account', () => {
  it('follow the general schedules unless its own settings override them', () => {
    const { config } = load(`${own}\n    jobs: {users: '0 5 * * *'}\ntimezone: Asia/Tokyo`)
    const [first] = config.accounts
    expect(jobsOf(config, first!)).toEqual({
      users: { schedule: '0 5 * * *', timezone: 'Asia/Tokyo' },
    })
  })

  it('must exist', () => {
    expect(refusal(`${own}\n    jobs: {usres: never}`)).toContain(
      'accounts[0].jobs.usres: expected one of users',
    )
  })
})
