import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect } from '../../src/warehouse/connect.ts'
import { linesOf, logged, NO_REPORTS, onlyJob } from './served.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const EACH_MINUTE = "'* * * * *'"

async function serveTasks(tasks: string, ...ended: { job: string; status: string }[]) {
  bench.configure({
    top: [
      onlyJob('whiteboard-archives'),
      'archive: {files: true}',
      'serve: {port: 0}',
      'logging: {level: info}',
      NO_REPORTS,
      'ledger: {keepMonths: 6}',
      `tasks: ${tasks}`,
    ],
  })
  const started = bench.start('serve')
  await Promise.all(ended.map((fields) => logged(started, 'job ended', fields)))
  started.child.kill('SIGTERM')
  const { code, stdout, stderr } = await started.ended
  expect([code, stdout]).toEqual([143, ''])
  return linesOf(stderr)
}

it('serve verifies, prunes and exports on schedule', async () => {
  expect((await bench.run('init')).code).toBe(0)
  bench.configure({ top: ['archive: {files: true}'] })
  expect((await bench.run('sync', 'whiteboard-archives')).code).toBe(0)
  const names = ['verify', 'archive-prune', 'audit-export', 'ledger-prune']
  await serveTasks(
    `{${names.map((name) => `${name}: ${EACH_MINUTE}`).join(', ')}}`,
    { job: 'verify', status: 'done' },
    { job: 'archive-prune', status: 'done' },
    { job: 'audit-export', status: 'done' },
    { job: 'ledger-prune', status: 'done' },
  )
  expect(readdirSync(join(bench.folder, 'out')).some((name) => name.endsWith('.zip'))).toBe(true)
})

it('serve logs a verification with findings with the status `needs a person`, not as failed', async () => {
  const warehouse = connect({ url: bench.databaseUrl })
  await warehouse.db.updateTable('svc.whiteboard_activities').set({ type: 'altered' }).execute()
  // Without this, the task would be due again only in the next minute.
  await warehouse.db.deleteFrom('callsheet.task_runs').execute()
  await warehouse.close()
  const lines = await serveTasks(`{verify: ${EACH_MINUTE}}`, {
    job: 'verify',
    status: 'needs a person',
  })
  expect(lines.filter(({ event }) => event === 'job failed')).toEqual([])
})
