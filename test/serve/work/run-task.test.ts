import { expect, it } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { endOf } from '../../../src/serve/work/run-task.ts'
import { taskWorks } from '../../../src/serve/work/scheduled-work.ts'

const due = '30 5 1 * *'
const off = 'never'
const tasks = { verify: due, 'archive-prune': off, 'audit-export': off, 'ledger-prune': due }
const accounts = [{ name: 'a' }, { name: 'b' }]

const worksWith = (ledger: Config['ledger']) =>
  taskWorks({ tasks, ledger, timezone: 'UTC' } as Config, accounts).map(
    ({ account, job }) => `${account} ${job}`,
  )

it('the service prunes the ledgers once for all accounts, and only if ledger.keepMonths is set', () => {
  const both = ['a verify', 'b verify']
  expect(worksWith({ keepMonths: null })).toEqual(both)
  const once = ['a verify', 'a ledger-prune', 'b verify']
  expect(worksWith({ keepMonths: 6 })).toEqual(once)
})

const FAULT = { error: { code: 'x' } }
it.each([
  ['is done if its command succeeded', 0, { accounts: [{ account: 'a' }] }, false, 'done'],
  ['is interrupted if it was stopped, even with exit code 0', 0, undefined, true, 'interrupted'],
  ['is interrupted if it was stopped and failed', 1, { accounts: [FAULT] }, true, 'interrupted'],
  ['needs a person if it has findings', 1, { accounts: [{ findings: [1] }] }, false, 'person'],
  [
    'needs a person if it failed but made its bundle',
    1,
    { bundles: [{ file: 'x' }] },
    false,
    'person',
  ],
  ['is tried again if an account failed', 1, { accounts: [{}, FAULT] }, false, 'again'],
  ['is tried again if a bundle failed', 1, { accounts: [{}], bundles: [FAULT] }, false, 'again'],
  ['is tried again if it failed without a result', 1, undefined, false, 'again'],
] as const)('a task %s', (_what, code, result, isStopped, kind) => {
  expect(endOf(code, { result, isStopped })).toBe(kind)
})
