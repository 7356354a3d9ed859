import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
    expect(stderr).toMatch(/"event":"schedule catches up"/)
    expect(stderr).toMatch(/"state":"complete".*"event":"run ended"/)
    expect(code).toBe(143)
  })

  it('refuses to wait for nothing', async () => {
    bench.configure({ top: [JOBS.replace('timezone: Europe/Berlin', 'enabled: false')] })
    const { code, stderr } = await bench.run('schedule')
    expect(stderr).toContain('all jobs are disabled')
    expect(code).toBe(2)
  })
})

async function runsOf(state: string): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    const { stdout } = await bench.run('runs', '--json')
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
