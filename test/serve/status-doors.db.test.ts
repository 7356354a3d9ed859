import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPageStage, type PageStage } from './page-stage.ts'

let stage: PageStage
beforeAll(async () => {
  stage = await openPageStage()
})
afterAll(() => stage.close())

const PATHS = [
  '/',
  '/accounts/account-0',
  '/runs',
  '/accounts/account-0/runs/1',
  '/reports',
  '/metrics',
  '/style.css',
]

describe('the status server:', () => {
  it.each(PATHS)(
    '%s may load nothing from elsewhere, run no script and is not cached',
    async (path) => {
      const { headers, status } = await fetch(`${stage.url}${path}`)
      expect(status).toBe(200)
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; " +
          "frame-ancestors 'none'; base-uri 'none'",
      )
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('set-cookie')).toBeNull()
    },
  )

  it.each(['/', '/accounts/account-0', '/runs', '/reports'])(
    '%s contains no script and no inline style',
    async (path) => {
      const text = await (await fetch(`${stage.url}${path}`)).text()
      expect(text).not.toMatch(/<script|<style|<[^>]*\s(style|on\w+)=|javascript:/i)
      expect(text).toContain('</html>')
    },
  )

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s is refused with 405',
    async (method) => {
      for (const path of ['/', '/accounts/account-0/runs/1', '/livez']) {
        const response = await fetch(`${stage.url}${path}`, { method })
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      }
    },
  )

  it('HEAD gets a 200 without a body', async () => {
    for (const path of [...PATHS, '/livez']) {
      const response = await fetch(`${stage.url}${path}`, { method: 'HEAD' })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
  })
})

describe('access to the status pages', () => {
  const TOKEN = 'a-token-of-more-than-16'
  const secret = { reveal: () => TOKEN }
  const basic = (name: string, password: string) =>
    `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

  it('requires the token, as a bearer or as a password', async () => {
    const { url } = await stage.serve({ token: secret as never })
    const ask = async (authorization: string, path = '/') =>
      await fetch(`${url}${path}`, authorization === '' ? {} : { headers: { authorization } })
    for (const path of PATHS) {
      const { status, headers } = await ask('', path)
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe(
        'Basic realm="callsheet", charset="UTF-8", Bearer',
      )
    }
    for (const good of [`Bearer ${TOKEN}`, basic('anybody', TOKEN), basic('', TOKEN)])
      expect((await ask(good)).status).toBe(200)
    const wrong = [
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      basic(TOKEN, ''),
      basic('', 'x'),
      TOKEN,
      `Digest ${TOKEN}`,
      'Basic %%%',
    ]
    for (const bad of wrong) expect((await ask(bad)).status).toBe(401)
    expect((await ask('', '/livez')).status).toBe(200)
    expect(await (await ask(`Bearer ${TOKEN}`)).text()).not.toContain(TOKEN)
  })

  it('on this machine requires a local host name in the request', async () => {
    const { port } = new URL(stage.url)
    const statusFor = (host: string, path = '/') =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    for (const own of [
      'localhost',
      `localhost:${port}`,
      '127.0.0.1:1',
      '[::1]',
      `LOCALHOST:${port}`,
    ])
      expect(await statusFor(own)).toBe(200)
    const others = [
      'evil.example',
      `localhost.evil.example:${port}`,
      '127.0.0.1.evil.example',
      'xlocalhost',
    ]
    for (const other of others) {
      expect([other, await statusFor(other)]).toEqual([other, 421])
      expect(await statusFor(other, '/metrics')).toBe(421)
    }
  })
})
