import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { gone, programIn, written } from '../serve/work/hook-stage.ts'
import { linesOf, logged, NO_REPORTS, onlyJob } from './served.ts'
import { openWorkbench, type Started, type Workbench } from './workbench.ts'

let bench: Workbench
beforeEach(async () => {
  bench = await openWorkbench()
})
afterEach(() => bench.close())

const HANGS = `writeFileSync(out, String(process.pid))
  setInterval(() => {}, 1000)`

const SERVED = ['serve: {port: 0}', 'logging: {level: info}', NO_REPORTS, onlyJob('users')]

function configure(after: 'run' | 'report', script: string, ...top: string[]): string {
  const { command, out } = programIn(bench.folder, 'hook', script)
  bench.configure({
    top: [`hooks: [{after: ${after}, command: ${JSON.stringify(command)}}]`, ...top],
  })
  return out
}

it('callsheet sync and callsheet report wait for their hooks, which receive the facts', async () => {
  const appends = `appendFileSync(out, readFileSync(0, 'utf8') + '\\n')`
  const out = configure('run', appends)
  expect(await bench.run('sync', 'users', 'phone-numbers')).toMatchObject({ code: 0 })
  const facts = (): object[] =>
    readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
  const users = { event: 'run', account: 'main', job: 'users', state: 'complete' }
  expect(facts()).toContainEqual(expect.objectContaining(users))
  expect(facts()).toHaveLength(2)

  configure('report', appends)
  writeFileSync(out, '')
  const made = await bench.run('report', 'number-inventory', '--format', 'csv', '--json')
  expect(facts()).toMatchObject([{ event: 'report', account: 'main', report: 'number-inventory' }])
  const [report] = (JSON.parse(made.stdout) as { reports: { covered: boolean }[] }).reports
  expect(facts()).toMatchObject([{ verdict: report?.covered === true ? 'complete' : 'incomplete' }])
})

it('a failing hook of callsheet sync leaves the run complete, and a signal ends the wait', async () => {
  const out = configure('run', `writeFileSync(out, 'ran')\nprocess.exit(3)`)
  const started = bench.start('sync', 'users')
  await said(started, '"event":"hook failed"', 'waiting for hooks to end')
  expect(readFileSync(out, 'utf8')).toBe('ran')
  started.child.kill('SIGTERM')
  const { code, stdout, stderr } = await started.ended
  expect(code).toBe(143)
  expect(stdout).toContain('complete')
  expect(stderr).toContain('the command ended with exit code 3')
})

it('callsheet serve goes on while a hook hangs, and kills it at the end', async () => {
  const out = configure('run', HANGS, ...SERVED)
  const started = bench.start('serve')
  const ended = logged(started, 'job ended', { job: 'users' })
  const pid = Number(await written(out))
  await ended
  started.child.kill('SIGTERM')
  const { code, stderr } = await started.ended
  expect(code).toBe(143)
  await gone(pid)
  expect(linesOf(stderr)).toContainEqual(
    expect.objectContaining({ event: 'hook failed', error: 'Callsheet was stopped' }),
  )
})

/** Resolves once a command has written these texts to its standard error. */
async function said({ child }: Started, ...texts: string[]): Promise<void> {
  let all = ''
  await new Promise<void>((resolve) =>
    child.stderr?.on('data', (chunk: Buffer) => {
      all += chunk.toString()
      if (texts.every((text) => all.includes(text))) resolve()
    }),
  )
}
