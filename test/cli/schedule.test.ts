import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proofBySecret } from '../../src/engine/evidence/request-proof.ts'
import { connect } from '../../src/warehouse/connection/connect.ts'
import {
  addRequest,
  readRequests,
  setIdentities,
} from '../../src/warehouse/erasure/erasure-requests.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

describe('callsheet schedule', () => {
  it('reads at the start what was never read, and stops cleanly at SIGTERM', async () => {
    bench.configure({ top: [JOBS] })
    const { child, ended } = bench.start('schedule', '-v')
    await runsOf('complete')
    child.kill('SIGTERM')
    const { code, stderr } = await ended
    expect(stderr).toMatch(/main +users +0 1 \* \* \* +Europe\/Berlin/)
    expect(stderr).not.toContain('recordings')
    expect(stderr).toMatch(/"event":"job started"/)
    expect(stderr).toMatch(/"state":"complete".*"event":"run ended"/)
    expect(code).toBe(143)
  })

  it('reads what is due although an erasure cannot be ended, and says so', async () => {
    const other = await openWorkbench()
    try {
      writeFileSync(join(other.folder, 'in-the-way'), '')
      other.configure({
        account: ['notificationSecrets: [told]'],
        top: [JOBS, 'archive: {files: false, directory: in-the-way}'],
      })
      const warehouse = connect({ url: other.databaseUrl })
      const asked = { account: 'main', subject: 'user:nobody-1', askedBy: 'a test', byName: false }
      await warehouse.transaction(async (tx) => {
        const id = await addRequest(tx, asked)
        const request = (await readRequests(tx, 'main')).find((one) => one.id === id)!
        const proof = proofBySecret('told', { ...request, account: 'main' })
        await setIdentities(tx, id, { identities: [], proof })
      })
      await warehouse.close()
      const { child, ended } = other.start('schedule', '-v')
      await runsOf('complete', other)
      child.kill('SIGTERM')
      const { stderr } = await ended
      expect(stderr).toMatch(/"code":"\w+".*"event":"erasure failed"/)
      expect(stderr).toMatch(/"state":"complete".*"event":"run ended"/)
    } finally {
      await other.close()
    }
  })

  it('refuses to wait for nothing', async () => {
    bench.configure({ top: [JOBS.replace('timezone: Europe/Berlin', 'enabled: false')] })
    const { code, stderr } = await bench.run('schedule')
    expect(stderr).toContain('all jobs are disabled')
    expect(code).toBe(2)
  })
})

async function runsOf(state: string, at = bench): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    const { stdout } = await at.run('runs', '--json')
    const { runs = [] } = JSON.parse(stdout) as { runs?: { state: string }[] }
    if (runs.some((run) => run.state === state)) return
  }
}

const JOBS =
  'jobs: {users: {timezone: Europe/Berlin}, phone-numbers: {enabled: false}, ' +
  'whiteboard-archives: {enabled: false}, whiteboards: {enabled: false}, ' +
  'session-reports: {enabled: false}, recordings: {enabled: false}, number-settings: {enabled: false}, ' +
  'number-details: {enabled: false}, recording-details: {enabled: false}, ' +
  'user-details: {enabled: false}}'
