import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../helpers/free-port.ts'
import { allowInBrowser, decide, heard } from './browser.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let redirectUrl: string
beforeEach(async () => {
  redirectUrl = `http://127.0.0.1:${await freePort()}/callback`
  const habits = { refreshGraceMs: 0, deviceIntervalMs: 1_000 }
  bench = await openWorkbench({ accounts: [{ redirectUrl }], habits })
  bench.configure({ account: ['app: user-authorized', `redirectUrl: ${redirectUrl}`] })
})
afterEach(() => bench.close())

const sync = () => bench.run('sync', 'users', '--json')
const renewals = () => bench.sandbox.stats().tokenRenewals
const HOUR_MS = 3_600_000

async function logIn() {
  const login = bench.start('login', '--json')
  const page = await allowInBrowser(login)
  expect(await page.text()).toContain('You can close this page')
  return await login.ended
}

describe('an app authorized by a user', () => {
  it('requires one login, then renews its token itself, and reports if it cannot', async () => {
    const before = await sync()
    expect(before.code).toBe(1)
    expect(before.stdout).toMatch(/nobody has logged in[^]*login --account main/)
    expect(renewals()).toBe(0)
    const { code, stdout } = await logIn()
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ account: 'main', app: 'user-authorized' })
    expect(renewals()).toBe(1)
    bench.sandbox.advance(HOUR_MS)
    expect((await sync()).code).toBe(0)
    expect(renewals()).toBe(2)
    expect((await bench.run('status')).stdout).not.toContain('login_ended')
    bench.sandbox.advance(91 * 24 * HOUR_MS)
    const ended = await sync()
    expect(ended.code).toBe(1)
    expect(ended.stdout).toContain('the service no longer accepts the login')
    const asked = bench.sandbox.stats().unauthorized
    expect((await sync()).stdout).toContain('login --account main')
    expect(bench.sandbox.stats().unauthorized).toBe(asked)
    const unwell = await bench.run('status')
    expect(unwell.stdout).toMatch(
      /^RED login_ended: The login has ended\..*\n {2}Run .*login --account main/m,
    )
    expect(unwell.code).toBe(1)
    expect((await logIn()).code).toBe(0)
    expect((await bench.run('status')).stdout).not.toContain('login_ended')
  })

  it('ends the login if the user refuses, but not on a stray response', async () => {
    const login = bench.start('login')
    const url = await heard(login, /(http:\S+\/oauth\/authorize\S+)[\s\S]*Waiting/)
    for (const stray of ['?code=stolen&state=other', '?code=stolen', '', '?error=access_denied'])
      expect((await fetch(`${redirectUrl}${stray}`)).status).toBe(400)
    expect((await fetch(`${redirectUrl}/more`)).status).toBe(404)
    const back = await decide(url, 'deny')
    expect((await fetch(back.headers.get('location') ?? '')).status).toBe(403)
    const { code, stderr } = await login.ended
    expect(code).toBe(1)
    expect(stderr).toContain('access_denied')
    expect(renewals()).toBe(0)
  })

  it('can be authorized on another machine; the pasted address is never printed', async () => {
    const login = bench.startWith({ typing: true }, 'login', '--paste')
    const url = await heard(login, /(http:\S+\/oauth\/authorize\S+)[\s\S]*paste/)
    const address = (await decide(url, 'allow')).headers.get('location') ?? ''
    login.child.stdin?.end(`${address}\n`)
    const { code, stdout, stderr } = await login.ended
    expect(code).toBe(0)
    const secret = new URL(address).searchParams.get('code') ?? ''
    expect(secret.length).toBeGreaterThan(20)
    expect(`${stdout}${stderr}`).not.toContain(secret)
    const wrong = bench.startWith({ typing: true }, 'login', '--paste')
    await heard(wrong, /paste/)
    wrong.child.stdin?.end('nothing\n')
    expect(await wrong.ended).toMatchObject({ code: 2 })
  })
})

describe('a public client', () => {
  it('has no secret, and identifies itself by S256', async () => {
    bench.configure({
      account: [
        'app: public-client',
        `redirectUrl: ${redirectUrl}`,
        'clientId: public-client-1',
        'clientSecret: null',
      ],
    })
    const login = bench.start('login')
    const url = await heard(login, /(http:\S+\/oauth\/authorize\S+)[\s\S]*Waiting/)
    expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
    const back = await decide(url, 'allow')
    await fetch(back.headers.get('location') ?? '')
    expect((await login.ended).code).toBe(0)
    bench.sandbox.advance(HOUR_MS)
    expect((await sync()).code).toBe(0)
    expect(renewals()).toBe(2)
  })
})

describe('a login with a device code', () => {
  const device = ['app: device', 'redirectUrl: null']

  it('shows a code, waits for the authorization, and syncs', async () => {
    bench.configure({ account: device })
    const login = bench.start('login', '--json')
    const address = await heard(login, /Or open (http:\S+),/)
    const page = await decide(address, 'allow')
    expect(await page.text()).toContain('The device was allowed')
    expect(await login.ended).toMatchObject({ code: 0 })
    expect((await sync()).code).toBe(0)
  })

  it('ends the login if the user refuses', async () => {
    bench.configure({ account: device })
    const login = bench.start('login')
    await decide(await heard(login, /Or open (http:\S+),/), 'deny')
    const { code, stderr } = await login.ended
    expect({ code, said: stderr.includes('the user did not allow the app') }).toEqual({
      code: 1,
      said: true,
    })
  })
})

describe('a server-to-server app', () => {
  it('needs no login, and the command login says so', async () => {
    bench.configure()
    expect((await bench.run('login')).stderr).toContain('of the kind server-to-server')
  })
})

describe('logging out', () => {
  it('revokes the token at the service and removes it until the next login', async () => {
    await logIn()
    expect((await bench.run('logout')).stdout).toContain('revoked and deleted')
    const { code, stdout } = await sync()
    expect({ code, said: stdout.includes('it was logged out') }).toEqual({ code: 1, said: true })
    expect((await bench.run('logout')).stdout).toContain('has no token')
  })

  it('of a server app makes it request a new token next time', async () => {
    bench.configure()
    expect((await sync()).code).toBe(0)
    expect((await bench.run('logout', '--json')).code).toBe(0)
    expect((await sync()).code).toBe(0)
    expect(renewals()).toBe(2)
  })
})
