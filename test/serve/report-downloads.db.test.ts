import { once } from 'node:events'
import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPageStage, type PageStage } from './page-stage.ts'

let stage: PageStage
beforeAll(async () => {
  stage = await openPageStage()
})
afterAll(() => stage.close())

describe('the reports on the status server', () => {
  const links = async (): Promise<[string, string][]> =>
    [
      ...(await (await fetch(`${stage.url}/reports`)).text()).matchAll(
        /href="(\/accounts\/account-0\/reports\/\d+\/\d+)" download>([^<]+)</g,
      ),
    ].map(([, path = '', name = '']) => [path, name])

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
    '/accounts/account-0/reports/1/9',
    '/accounts/account-0/reports/9/0',
    '/accounts/account-0/reports/1/-1',
    '/accounts/account-0/reports/1/..%2f..%2fetc%2fpasswd',
    '/accounts/account-0/reports/..%2f1/0',
    '/accounts/account-0/reports/1/0x0',
  ])('do not exist at %s', async (path) => {
    expect((await fetch(`${stage.url}${path}`)).status).toBe(404)
  })

  it('do not delay a stop of the service, however slow the download is', async () => {
    const other = await stage.serve()
    const [[path]] = (await links()) as [[string, string]]
    const { port } = new URL(other.url)
    const taking = connect(Number(port), '127.0.0.1')
    taking.on('error', () => {})
    taking.pause()
    taking.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    await once(taking, 'readable')
    await other.close()
    await expect(fetch(other.url)).rejects.toThrow('fetch failed')
    taking.destroy()
  })

  it('are not served while an erasure is removing them, or after it', async () => {
    const { files } = await stage.world.warehouse.db
      .selectFrom('callsheet.published_reports')
      .select('files')
      .where('id', '=', 1)
      .executeTakeFirstOrThrow()
    const [first, second] = files as [object, object]
    const id = await publish([{ ...first, erased: true }, { ...second, erasing: true }, first])
    const statusOf = async (place: number) =>
      (await fetch(`${stage.url}/accounts/account-0/reports/${id}/${place}`)).status
    expect([await statusOf(0), await statusOf(1), await statusOf(2)]).toEqual([404, 404, 200])
    await stage.world.warehouse.db
      .deleteFrom('callsheet.published_reports')
      .where('id', '=', id)
      .execute()
  })

  it('are not served once their bytes differ, nor listed once a link replaces their file', async () => {
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

  it('are not served if their files are outside the report folder', async () => {
    const secretFile = join(stage.config.stateDirectory, 'config.yaml')
    const id = await publish([
      { path: secretFile, bytes: 1, sha256: 'x' },
      { path: join(stage.config.reports.directory, '../../etc/passwd'), bytes: 1, sha256: 'x' },
      { path: 'relative.xlsx', bytes: 1, sha256: 'x' },
    ])
    for (const place of [0, 1, 2])
      expect((await fetch(`${stage.url}/accounts/account-0/reports/${id}/${place}`)).status).toBe(
        404,
      )
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
