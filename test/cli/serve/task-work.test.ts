import { expect, it } from 'vitest'
import { taskWorks } from '../../../src/cli/serve/task-work.ts'
import type { Config } from '../../../src/config/schema.ts'

const due = { schedule: '30 5 1 * *', timezone: 'UTC', enabled: true }
const off = { ...due, enabled: false }
const tasks = { verify: due, 'archive-prune': off, 'audit-export': off, 'ledger-prune': due }
const accounts = [{ name: 'a' }, { name: 'b' }]

const worksWith = (ledger: Config['ledger']) =>
  taskWorks({ tasks, ledger } as Config, accounts).map(({ account, job }) => `${account} ${job}`)

it('prunes the ledgers once for all accounts, and only where they are kept for a time', () => {
  const both = ['a verify', 'b verify']
  expect(worksWith({ keepMonths: null, notificationMonths: null })).toEqual(both)
  const once = ['a verify', 'a ledger-prune', 'b verify']
  expect(worksWith({ keepMonths: 6, notificationMonths: null })).toEqual(once)
  expect(worksWith({ keepMonths: null, notificationMonths: 6 })).toEqual(once)
})
