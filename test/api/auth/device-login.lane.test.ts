import { describe, expect, it } from 'vitest'
import { awaitDevice } from '../../../src/api/auth/device-login.ts'
import type { DeviceCode } from '../../../src/api/auth/token-endpoint.ts'
import { decide } from '../../cli/browser.ts'
import { type ManualClock, manualClock } from '../../helpers/manual-clock.ts'
import { type Answer, faultServer, send } from '../fault-server.ts'
import { closers, passing, scripted, world } from './login-world.ts'

describe('a device login', () => {
  const CODE: DeviceCode = {
    deviceCode: 'd',
    userCode: 'U',
    verificationUri: 'http://x',
    verificationUriComplete: undefined,
    expiresInSeconds: 900,
    intervalSeconds: 5,
  }

  /** Answers the polls in this order; returns the outcome, and the seconds at which each poll came. */
  async function asked(...answers: Answer[]) {
    const clock = manualClock(Date.UTC(2026, 4, 4))
    const seconds: number[] = []
    const noted = answers.map(
      (answer): Answer =>
        (request, response) => {
          seconds.push(clock.elapsed() / 1000)
          answer(request, response)
        },
    )
    const server = await faultServer(...noted)
    const { endpoint } = scripted(server.url, clock)
    closers.push(server.close)
    const { signal } = new AbortController()
    const ended = awaitDevice(endpoint, CODE, { clock, signal }).then(
      ({ accessToken }) => accessToken,
      (error: { code: string }) => error.code,
    )
    return { said: await passing(clock, ended), seconds }
  }
  const pending = send(400, { error: 'authorization_pending' })
  const slower = send(400, { error: 'slow_down' })
  const granted = send(200, { access_token: 'T', token_type: 'bearer', expires_in: 3600 })

  it('T7 polls no faster than the interval, and five seconds slower on request', async () => {
    const { said, seconds } = await asked(pending, slower, pending, slower, send(503), granted)
    expect(said).toBe('T')
    const pauses = seconds.map((at, n) => at - (seconds[n - 1] ?? 0))
    const least = [5, 5, 10, 10, 15, 15]
    expect(pauses).toHaveLength(least.length)
    for (const [n, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(least[n] ?? 0)
  })

  it('T7 ends on a refusal, when the code expires, and at its time limit at the latest', async () => {
    expect(await asked(pending, send(400, { error: 'access_denied' }))).toMatchObject({
      said: 'access_denied',
    })
    expect(await asked(send(400, { error: 'expired_token' }))).toMatchObject({
      said: 'expired_token',
    })
    const { said, seconds } = await asked(pending)
    expect(said).toBe('expired_token')
    expect(seconds.at(-1)).toBeLessThan(900)
    expect(seconds.length).toBeGreaterThan(20)
  })

  it('gets no code if the app’s device option is off, and the error says so', async () => {
    const { endpoint } = await world({ accounts: [{ deviceUse: false }] })
    await expect(endpoint.deviceCode()).rejects.toMatchObject({
      code: 'request_refused',
      message: expect.stringContaining('device login is turned on'),
    })
  })

  it('gets a token from the sandbox within two minutes if the user allows it after 12 seconds', async () => {
    const { clock, endpoint } = await world()
    const code = await endpoint.deviceCode()
    const { signal } = new AbortController()
    const waiting = awaitDevice(endpoint, code, { clock, signal })
    const started = clock.elapsed()
    void decideLater(clock, code.verificationUriComplete ?? '')
    expect((await passing(clock, waiting)).refreshToken).toBeTypeOf('string')
    expect(clock.elapsed() - started).toBeLessThan(120_000)
  })
})

async function decideLater(clock: ManualClock, url: string): Promise<void> {
  await clock.sleep(12_000)
  await decide(url, 'allow')
}
