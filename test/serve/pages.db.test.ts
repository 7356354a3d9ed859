import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobs } from '../../src/account/catalog.ts'
import { plainProblem } from '../../src/serve/health/problems.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { openPageStage, type PageStage } from './page-stage.ts'

let stage: PageStage
beforeAll(async () => {
  stage = await openPageStage()
})
afterAll(() => stage.close())

async function textOf(path: string): Promise<string> {
  const response = await fetch(`${stage.url}${path}`)
  expect(response.status).toBe(200)
  return await response.text()
}

/** Advances the clock in small steps until `done` resolves, because its timers may start late. */
async function advanceUntil(done: () => Promise<void>, stepMs: number): Promise<void> {
  let isDone = false
  const waiting = (async () => {
    await done()
    isDone = true
  })()
  const goes = (): boolean => !isDone
  while (goes()) {
    await stage.clock.advance(stepMs)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await waiting
}

describe('the status pages', () => {
  it('show the causes, their remedies and the next jobs', async () => {
    const text = await textOf('/')
    expect(text).toContain('needs you now')
    expect(text).toContain('To do: make room')
    expect(text).toContain(
      'phone-numbers, <time datetime="2026-07-08T03:00:00.000Z">2026-07-08 03:00</time>',
    )
    expect(text.indexOf('>account-0<')).toBeLessThan(text.indexOf('>account-1<'))
  })

  it('show three causes of an account at first, and all of them on its own page', async () => {
    const [cause] = stage.causes
    const before = stage.causes.length
    for (const subject of ['one', 'two', 'three', 'four'])
      stage.causes.push({ ...cause!, account: 'account-0', subject, sentence: `It is ${subject}.` })
    const { url } = await stage.serve()
    const text = async (path: string) => await (await fetch(`${url}${path}`)).text()
    const own = (await text('/accounts/account-0')).match(/<li class="note/g)?.length ?? 0
    expect(own).toBeGreaterThan(4)
    const [first = ''] = (await text('/')).split('>account-1<')
    expect(first.match(/<li class="note/g)).toHaveLength(3)
    expect(first).toContain(`<a href="/accounts/account-0">${own - 3} more</a>`)
    stage.causes.length = before
  })

  it('show the command that approves the drop of a run', async () => {
    expect(await textOf(`/accounts/account-0/runs/${stage.brokenRun}`)).toContain(
      `callsheet sync --account account-0 --approve ${stage.brokenRun}`,
    )
  })

  it('show each table’s rows, complete slices and read times', async () => {
    const text = await textOf('/accounts/account-0')
    const row = (stream: string): string | undefined =>
      new RegExp(`scope="row" class="t">(${stream}</th>.*?)</tr>`, 's')
        .exec(text.replaceAll('<wbr>', ''))?.[1]
        ?.replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
    const now = '2026-07-08 02:30 (0 s ago)'
    expect(row('recording_sessions')).toBe(`recording_sessions 20 15 of 16 ${now} ${now} `)
    expect(row('session_reports')).toBe(`session_reports 60 13 of 13 ${now} ${now} `)
  })

  it('show the expiring files, and whether the quota suffices for them', async () => {
    const text = await textOf('/accounts/account-0')
    expect(text).toContain('The quota suffices for all that is known to expire within 7 days.')
    expect(text).toMatch(/Archive deadlines<[\s\S]+24 hours<[\s\S]+7 days</)
  })

  it('show the due jobs of an account that was never read', async () => {
    const text = await textOf('/accounts/account-1')
    expect(text).toContain('There are no runs yet.')
    expect(text).toContain('No known archive expires within 7 days.')
    expect(text).not.toContain('>done<')
  })

  it('name no person in problems', async () => {
    const text = await textOf(`/accounts/account-0/runs/${stage.brokenRun}`)
    expect(text).toContain('user_details user=…: the service says that …@… (+…) is gone (2 times)')
    expect(text).not.toMatch(/u-17|ada|bob|7946/)
  })

  it('omit IDs from problems with the list of one parent', () => {
    const lists = jobs
      .flatMap(({ streams }) => streams)
      .flatMap(({ sync }) =>
        sync.kind === 'fan-out' ? [sync.request(['id-1', 'id-2', 'id-3']).slice] : [],
      )
      .filter((slice) => slice.includes('id-1'))
    expect(lists.length).toBeGreaterThan(8)
    for (const slice of lists) expect(plainProblem(`stream ${slice}: no`)).not.toContain('id-1')
  })

  it('list runs page by page, and the runs of one account on request', async () => {
    expect(await textOf('/runs?account=account-0')).toContain('Runs of account-0')
    expect(await textOf('/runs?account=account-1')).toContain('There are no runs here')
    const pathsIn = (text: string) => text.match(/\/accounts\/account-0\/runs\/\d+/g) ?? []
    const all = await textOf('/runs')
    const [newest = '', ...others] = pathsIn(all)
    const [, startedAt = ''] = all.slice(all.indexOf(newest)).match(/datetime="([^"]+)"/) ?? []
    const older = await textOf(`/runs?before=${startedAt},${newest.split('/').at(-1)}`)
    expect(others).not.toHaveLength(0)
    expect(pathsIn(older)).toEqual(others)
    expect(await textOf('/runs?account=%3Cb%3E&before=x')).toContain('Runs of &lt;b&gt;')
  })

  it.each([
    '/accounts/nobody',
    '/accounts/%E0%A4%A',
    '/accounts/account-0/runs/0',
    '/accounts/account-0/runs/99999',
    '/accounts/account-0/runs/1e3',
    '/accounts/account-0/runs/999999999999999999',
    '/accounts/account-1/runs/1',
    '/x',
  ])('have no page at %s', async (path) => {
    expect((await fetch(`${stage.url}${path}`)).status).toBe(404)
  })

  it('wait only for the first read of the status, for at most eight seconds', async () => {
    const { clock, held } = stage
    const { url } = await stage.serve()
    const hold = Promise.withResolvers<void>()
    held.until = hold.promise
    const first = fetch(url)
    const scraped = fetch(`${url}/metrics`)
    const isAnswered = async (): Promise<void> => {
      await first
      await scraped
    }
    await advanceUntil(isAnswered, 100)
    expect([(await first).status, (await first).headers.get('retry-after')]).toEqual([503, '30'])
    expect(await (await first).text()).toContain('The accounts are being read for the first time.')
    const text = await (await scraped).text()
    expect(text).toContain('callsheet_ready 1\n')
    expect(text).not.toMatch(/^callsheet_(snapshot_age|account_health|stream_rows)/m)
    hold.resolve()
    const readAll = async () => (await fetch(url)).status
    await expect.poll(readAll).toBe(200)
    held.until = new Promise(() => {})
    await clock.advance(60_000)
    const later = await fetch(url)
    expect([later.status, await later.text()]).toEqual([
      200,
      expect.stringMatching(/as read 6\d seconds ago/),
    ])
    const age = /^callsheet_snapshot_age_seconds (\S+)$/m
    expect(Number(age.exec(await (await fetch(`${url}/metrics`)).text())?.[1])).toBeCloseTo(68, -1)
    held.until = undefined
  })

  it('say that the database is down, and the log has no details', async () => {
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
      expect.stringContaining('The database does not answer'),
    ])
    expect(stage.logged).toHaveLength(1)
    expect(stage.logged[0]).toMatch(/^status failed \{"code":"\w+"\}$/)
    expect((await fetch(stage.url)).status).toBe(200)
  })
})
