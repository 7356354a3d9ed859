import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/cli/catalog/catalog.ts'
import { plainProblem } from '../../src/engine/status/plain-problems.ts'
import { connect } from '../../src/warehouse/connection/connect.ts'
import { openPageStage, type PageStage } from './page-stage.ts'

let stage: PageStage
beforeAll(async () => {
  stage = await openPageStage()
})
afterAll(() => stage.close())

const PATHS = ['/', '/accounts/account-0', '/runs', '/runs/1', '/reports', '/metrics', '/style.css']

async function textOf(path: string): Promise<string> {
  const response = await fetch(`${stage.url}${path}`)
  expect(response.status).toBe(200)
  return await response.text()
}

describe('what a page may', () => {
  it.each(PATHS)('%s loads nothing from elsewhere and runs no script', async (path) => {
    const { headers, status } = await fetch(`${stage.url}${path}`)
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; " +
        "frame-ancestors 'none'; base-uri 'none'",
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('set-cookie')).toBeNull()
  })

  it.each(['/', '/accounts/account-0', '/runs', '/reports'])(
    '%s has no style or script of its own',
    async (path) => {
      const text = await textOf(path)
      expect(text).not.toMatch(/<script|<style|<[^>]*\s(style|on\w+)=|javascript:/i)
      expect(text).toContain('</html>')
    },
  )

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s changes nothing', async (method) => {
    for (const path of ['/', '/runs/1', '/livez']) {
      const response = await fetch(`${stage.url}${path}`, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('HEAD tells the same without a body', async () => {
    for (const path of [...PATHS, '/livez']) {
      const response = await fetch(`${stage.url}${path}`, { method: 'HEAD' })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
  })
})

describe('who may look', () => {
  const TOKEN = 'a-token-of-more-than-16'
  const secret = { reveal: () => TOKEN }
  const basic = (name: string, password: string) =>
    `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

  it('is whoever shows the token, as a bearer or as a password', async () => {
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

  it('asks an address of this machine by its own names', async () => {
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

describe('the pages', () => {
  it('show what is wrong, what to do and what starts next', async () => {
    const text = await textOf('/')
    expect(text).toContain('needs you now')
    expect(text).toContain('To do: make room')
    expect(text).toContain(
      'phone-numbers, <time datetime="2026-07-08T03:00:00.000Z">2026-07-08 03:00</time>',
    )
    expect(text.indexOf('>account-0<')).toBeLessThan(text.indexOf('>account-1<'))
  })

  it('show the command that approves a drop', async () => {
    const text = await textOf('/accounts/account-0')
    expect(text).toContain(`<code>callsheet sync --approve ${stage.brokenRun}</code>`)
    expect(await textOf(`/runs/${stage.brokenRun}`)).toContain(
      `callsheet sync --approve ${stage.brokenRun}`,
    )
  })

  it('show each table with its days', async () => {
    const text = await textOf('/accounts/account-0')
    const strips = text.match(/aria-label="(\w+): [^"]+"/g) ?? []
    expect(strips.length).toBeGreaterThan(20)
    expect(strips).toContain('aria-label="session_reports: 2026-04-10 to 2026-07-08 complete"')
    expect(strips).toContain(
      'aria-label="users: 2026-04-10 to 2026-07-07 not read; 2026-07-08 complete"',
    )
  })

  it('name no person in problems', async () => {
    const text = await textOf(`/runs/${stage.brokenRun}`)
    expect(text).toContain('user_details user=…: the service says that …@… (+…) is gone (2 times)')
    expect(text).not.toMatch(/u-17|ada|bob|7946/)
  })

  it('leave the names of all lists of one thing out of problems', () => {
    const lists = jobs
      .flatMap(({ streams }) => streams)
      .flatMap(({ sync }) =>
        sync.kind === 'fan-out' ? [sync.request(['id-1', 'id-2', 'id-3']).slice] : [],
      )
      .filter((slice) => slice.includes('id-1'))
    expect(lists.length).toBeGreaterThan(8)
    for (const slice of lists) expect(plainProblem(`stream ${slice}: no`)).not.toContain('id-1')
  })

  it('list runs in pages, and those of one account alone where asked', async () => {
    expect(await textOf('/runs?account=account-0')).toContain('Runs of account-0')
    expect(await textOf('/runs?account=account-1')).toContain('There are no runs here')
    expect(await textOf(`/runs?before=2`)).not.toContain('href="/runs/2"')
    expect(await textOf('/runs?account=%3Cb%3E&before=x')).toContain('Runs of &lt;b&gt;')
  })

  it.each([
    '/accounts/nobody',
    '/accounts/%E0%A4%A',
    '/runs/0',
    '/runs/99999',
    '/runs/1e3',
    '/runs/999999999999999999',
    '/x',
  ])('%s is not found', async (path) => {
    expect((await fetch(`${stage.url}${path}`)).status).toBe(404)
  })

  it('say so while the database is away, and log it without a detail', async () => {
    const { warehouse } = stage.vitals
    stage.vitals.warehouse = undefined
    const { url } = await stage.serve()
    expect((await fetch(url)).status).toBe(503)
    const away = connect({ url: 'postgres://somebody:a-password@127.0.0.1:1/none' })
    stage.vitals.warehouse = away
    const response = await fetch(url)
    stage.vitals.warehouse = warehouse
    await away.close()
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining('cannot be shown now'),
    ])
    expect(stage.logged).toHaveLength(1)
    expect(stage.logged[0]).toMatch(/^status failed \{"code":"\w+"\}$/)
    expect((await fetch(stage.url)).status).toBe(200)
  })
})

describe('the reports', () => {
  const links = async (): Promise<[string, string][]> =>
    [...(await textOf('/reports')).matchAll(/href="(\/reports\/\d+\/\d+)" download>([^<]+)</g)].map(
      ([, path = '', name = '']) => [path, name],
    )

  it('are downloaded byte for byte, as files and never as pages', async () => {
    const listed = await links()
    expect(listed.map(([, name]) => name)).toEqual([
      'account-0-session-quality-2026-06.xlsx',
      'account-0-session-quality-2026-06.html',
    ])
    for (const [path, name] of listed) {
      const response = await fetch(`${stage.url}${path}`)
      expect(response.headers.get('content-type')).toBe('application/octet-stream')
      expect(response.headers.get('content-disposition')).toContain(
        `attachment; filename="${name}"`,
      )
      expect(response.headers.get('content-security-policy')).toContain('sandbox')
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(bytes.equals(await file(name))).toBe(true)
      expect(Number(response.headers.get('content-length'))).toBe(bytes.length)
      const head = await fetch(`${stage.url}${path}`, { method: 'HEAD' })
      expect([head.status, Number(head.headers.get('content-length'))]).toEqual([200, bytes.length])
    }
  })

  it.each([
    '/reports/1/9',
    '/reports/9/0',
    '/reports/1/-1',
    '/reports/1/..%2f..%2fetc%2fpasswd',
    '/reports/..%2f1/0',
    '/reports/1/0x0',
  ])('%s is no report', async (path) => {
    expect((await fetch(`${stage.url}${path}`)).status).toBe(404)
  })

  it('are not served once an erasure removed them, or is about to', async () => {
    const { files } = await stage.world.warehouse.db
      .selectFrom('callsheet.published_reports')
      .select('files')
      .where('id', '=', 1)
      .executeTakeFirstOrThrow()
    const [first, second] = files as [object, object]
    const id = await publish([{ ...first, erased: true }, { ...second, erasing: true }, first])
    const statusOf = async (place: number) =>
      (await fetch(`${stage.url}/reports/${id}/${place}`)).status
    expect([await statusOf(0), await statusOf(1), await statusOf(2)]).toEqual([404, 404, 200])
    await stage.world.warehouse.db
      .deleteFrom('callsheet.published_reports')
      .where('id', '=', id)
      .execute()
  })

  it('are not shown any more once they are not as they were published', async () => {
    const [[xlsx], [html]] = (await links()) as [[string, string], [string, string]]
    const folder = stage.config.reports.directory
    const name = join(folder, 'account-0-session-quality-2026-06.html')
    renameSync(name, `${name}.kept`)
    symlinkSync(`${name}.kept`, name)
    expect((await fetch(`${stage.url}${html}`)).status).toBe(404)
    const other = join(folder, 'account-0-session-quality-2026-06.xlsx')
    const bytes = await file('account-0-session-quality-2026-06.xlsx')
    bytes[100] = (bytes[100] ?? 0) ^ 1
    writeFileSync(other, bytes)
    expect((await fetch(`${stage.url}${xlsx}`)).status).toBe(404)
    await stage.clock.advance(60_000)
    expect((await links()).map(([, named]) => named)).toEqual([
      'account-0-session-quality-2026-06.xlsx',
    ])
  })

  it('outside the folder of reports are not served', async () => {
    const secretFile = join(stage.config.stateDirectory, 'config.yaml')
    const id = await publish([
      { path: secretFile, bytes: 1, sha256: 'x' },
      { path: join(stage.config.reports.directory, '../../etc/passwd'), bytes: 1, sha256: 'x' },
      { path: 'relative.xlsx', bytes: 1, sha256: 'x' },
    ])
    for (const place of [0, 1, 2])
      expect((await fetch(`${stage.url}/reports/${id}/${place}`)).status).toBe(404)
  })
})

async function file(name: string): Promise<Buffer> {
  return await readFile(join(stage.config.reports.directory, name))
}

async function publish(files: object[]): Promise<number> {
  const at = new Date(stage.clock.now()).toISOString()
  const { id } = await stage.world.warehouse.db
    .insertInto('callsheet.published_reports')
    .values({
      account: 'account-0',
      report: 'session-quality',
      params: '{}',
      as_of: at,
      run_ids: [1],
      published_at: at,
      files: JSON.stringify(files),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
