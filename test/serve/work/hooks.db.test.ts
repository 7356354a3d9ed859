import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { ACCOUNT, gone, programIn, useHookWorld, WEBHOOK, written } from './hook-stage.ts'

const MINUTE = 60_000
const WAITS_IN_VAIN = `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  setInterval(() => {}, 1000)`

const { world, folder, server, run, open } = useHookWorld()

describe('a hook’s command', () => {
  it('receives the facts on standard input, and no secret in its arguments or environment', async () => {
    const { command, out } = programIn(
      folder(),
      'takes',
      `const facts = JSON.parse(readFileSync(0, 'utf8'))
       console.log('no one stores this')
       writeFileSync(out, JSON.stringify([facts.run, process.argv.slice(2), Object.keys(process.env)]))`,
    )
    const { hooks, attempts, logged } = open({ after: 'run', command })
    vi.stubEnv('CALLSHEET_CLIENT_SECRET', 'client-secret-1')
    hooks.afterRuns(ACCOUNT, [run('users')])
    await hooks.settled()
    const [id, args, names] = JSON.parse(readFileSync(out, 'utf8')) as [number, string[], string[]]
    expect(id).toBe(run('users').runId)
    expect(args).toEqual([out])
    vi.unstubAllEnvs()
    const plain = ['HOME', 'LANG', 'LC_ALL', 'PATH', 'TMPDIR', 'TZ', 'USER']
    const own = names.filter((name) => !name.startsWith('__'))
    expect(own.filter((name) => !plain.includes(name))).toEqual([])
    const detail = { job: 'users', run: id }
    expect(await attempts()).toEqual([{ task: 'hooks[0]', state: 'complete', detail, error: null }])
    expect(logged).toEqual([
      {
        event: 'hook done',
        account: ACCOUNT,
        ...detail,
        name: 'hooks[0]',
        tries: 1,
      },
    ])
  })

  it('is killed after its time limit, with its children, and the next one runs', async () => {
    const { command, out } = programIn(
      folder(),
      'hangs',
      `const { job } = JSON.parse(readFileSync(0, 'utf8'))
       if (job === 'users') {
         const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
         writeFileSync(out, String(child.pid))
         setInterval(() => {}, 1000)
       }`,
    )
    const { hooks, clock, seen, stop } = open({ after: 'run', command, timeoutSeconds: 5 })
    hooks.afterRuns(ACCOUNT, [run('users'), run('phone-numbers')])
    const pid = Number(await written(out))
    await clock.advance(5_000)
    await gone(pid)
    const [failed] = await seen('hook failed', 1)
    expect(failed).toMatchObject({ run: run('users').runId, again: true, wait_ms: MINUTE })
    expect(failed?.error).toContain('it ran longer than 5 s')
    expect(await seen('hook done', 1)).toMatchObject([{ job: 'phone-numbers' }])
    stop.abort()
    await hooks.settled()
  })

  it('is killed when Callsheet stops, with its children, and is not tried again', async () => {
    const { command, out } = programIn(
      folder(),
      'waits',
      `writeFileSync(out, String(process.pid))\n${WAITS_IN_VAIN}`,
    )
    const { hooks, stop, attempts, failed } = open({ after: 'run', command })
    hooks.afterRuns(ACCOUNT, [run('users'), run('phone-numbers')])
    const pid = Number(await written(out))
    stop.abort()
    await hooks.settled()
    await gone(pid)
    expect(await attempts()).toMatchObject([{ state: 'interrupted' }])
    const text = (job: string) =>
      `hooks[0] failed after run ${run(job).runId} of account-0: Callsheet was stopped`
    expect(failed).toEqual([text('users'), text('phone-numbers')])
  })

  it('runs one at a time', async () => {
    const { command, out } = programIn(
      folder(),
      'turns',
      `appendFileSync(out, 'begins\\n')
       setTimeout(() => appendFileSync(out, 'ends\\n'), 50)`,
    )
    const { hooks } = open({ after: 'run', command })
    hooks.afterRuns(ACCOUNT, [run('users'), run('phone-numbers'), run('users')])
    await hooks.settled()
    expect(readFileSync(out, 'utf8')).toBe('begins\nends\n'.repeat(3))
  })
})

describe('a hook that fails', () => {
  it('is tried again after one and five minutes, without holding up the others', async () => {
    server().state.answer = 503
    const { command, out } = programIn(folder(), 'others', `appendFileSync(out, 'ran')`)
    const { hooks, clock, seen, attempts, failed } = open(
      { after: 'run', ...WEBHOOK },
      { after: 'run', command },
    )
    hooks.afterRuns(ACCOUNT, [run('users')])
    await seen('hook failed', 1)
    expect(await written(out)).toBe('ran')
    await clock.advance(MINUTE - 1)
    expect(server().taken).toHaveLength(1)
    await clock.advance(1)
    await seen('hook failed', 2)
    server().state.answer = 200
    await clock.advance(5 * MINUTE)
    await hooks.settled()
    expect(server().taken).toHaveLength(3)
    const states = (await attempts()).filter(({ task }) => task === 'hooks[0]')
    expect(states.map(({ state }) => state)).toEqual(['failed', 'failed', 'complete'])
    expect(failed).toEqual([])
  })

  it('is given up after the third try, and reported without its address', async () => {
    server().state.answer = 404
    const { hooks, clock, seen, failed, logged } = open({ after: 'run', ...WEBHOOK })
    hooks.afterRuns(ACCOUNT, [run('users')])
    await seen('hook failed', 1)
    await clock.advance(MINUTE)
    await seen('hook failed', 2)
    await clock.advance(5 * MINUTE)
    await hooks.settled()
    expect(logged.map(({ again, tries }) => [tries, again])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ])
    expect(failed).toHaveLength(1)
    expect(failed[0]).toContain(`hooks[0] failed after run ${run('users').runId} of account-0: `)
    expect(failed[0]).toContain('the receiver answered HTTP 404')
    expect(JSON.stringify([failed, logged])).not.toMatch(/token-1|127\.0\.0\.1/)
  })

  it('leaves the state of its run unchanged', async () => {
    const { hooks, stop, seen } = open({ after: 'run', command: ['/absent/program'] })
    hooks.afterRuns(ACCOUNT, [run('users')])
    const [failed] = await seen('hook failed', 1)
    expect(failed?.error).toContain('the program does not exist')
    stop.abort()
    await hooks.settled()
    const { rows } = await sql<{ state: string }>`
      select state from callsheet.runs where id = ${run('users').runId}`.execute(
      world().warehouse.db,
    )
    expect(rows).toEqual([{ state: 'complete' }])
  })
})
