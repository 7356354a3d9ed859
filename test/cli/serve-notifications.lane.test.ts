import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linesOf, logged } from './served.ts'
import { openWorkbench, type Started, type Workbench } from './workbench.ts'

const SECRET = 'listen-secret-canary'
const ACCOUNT = ['notificationSecrets: [env:TOLD]']
const TOP = ['notifications: {port: 0}', 'serve: {port: 0}', 'logging: {level: debug}']

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

describe('callsheet serve --only notifications', () => {
  it('receives notifications during a sync, and ends cleanly on SIGTERM', async () => {
    bench.configure({ account: ACCOUNT, top: TOP })
    const listener = listen()
    const address = String((await logged(listener, 'listening', { account: 'main' })).url)
    expect(new URL(address)).toMatchObject({
      hostname: '127.0.0.1',
      pathname: '/notifications/main',
    })
    expect(await ask('subscriptions', { url: address, secret: SECRET })).toEqual({
      confirmed: true,
    })
    const [synced, told] = await Promise.all([
      bench.run('sync', 'users', '--json'),
      ask('happen', { scenarios: ['room', 'visit', 'alert'] }),
    ])
    expect(synced.code).toBe(0)
    expect(told.dropped).toBe(0)
    expect(told.waiting).toBe(0)
    await ask('remove-app', {})
    listener.child.kill('SIGTERM')
    const { code, stdout, stderr } = await listener.ended
    expect(code).toBe(143)
    expect(linesOf(stderr).map(({ event }) => event)).toContain('notification')
    expect(`${stdout}${stderr}`).not.toContain(SECRET)
    expect(stderr).not.toMatch(/corp\.example|guests\.example|withheld/i)
  })

  it('is reported by status and doctor', async () => {
    const { stdout } = await bench.run('status')
    expect(stdout).toMatch(/Notifications of 30 days: 9, the last .* ago\n/)
    expect(stdout).toMatch(/1 person must be erased, the first by \d{4}-/)
    bench.configure({ account: ACCOUNT, top: ['notifications: {port: 0, host: 0.0.0.0}'] })
    const doctor = await bench.startWith({ environment: { TOLD: SECRET } }, 'doctor').ended
    expect(doctor.stdout).toMatch(/ok +main notifications +signed with one secret/)
    expect(doctor.stdout).toMatch(/warning +notifications +plain HTTP on 0\.0\.0\.0/)
    expect(doctor.code).toBe(0)
  })

  it.each([
    ['no account has a secret', { top: TOP }, 'no account has notificationSecrets'],
    [
      'the address is not ours',
      { account: ACCOUNT, top: ['notifications: {host: 192.0.2.1}', 'serve: {port: 0}'] },
      'this machine does not have this address',
    ],
  ])('does not listen if %s', async (_what, changes, said) => {
    bench.configure(changes)
    const { code, stderr } = await listen().ended
    expect(stderr).toContain(said)
    expect(code).toBe(2)
  })
})

function listen(): Started {
  return bench.startWith({ environment: { TOLD: SECRET } }, 'serve', '--only', 'notifications')
}

async function ask(path: string, body?: object): Promise<Record<string, number>> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${bench.sandbox.url}/__sandbox/${path}`, init)
  return (await response.json()) as Record<string, number>
}
