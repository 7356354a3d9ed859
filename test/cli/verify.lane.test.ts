import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { knownEvidenceKey } from '../../src/config/evidence-key.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { appendEvidence } from '../../src/evidence/append-evidence.ts'
import { readSigningKey } from '../../src/evidence/log/signing-key.ts'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { connect } from '../../src/warehouse/connect.ts'
import { acquireLease } from '../../src/warehouse/ledger/lease.ts'
import { addActivity, addFile, addRun, addSession, STREAMS } from '../helpers/evidence-stage.ts'
import { openWorkbench, start, type Workbench } from './workbench.ts'

describe('init', () => {
  let folder: string
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-init-'))))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('creates a configuration and keys once, and prints the fingerprint', async () => {
    const first = await start(['init', '--json'], { folder }).ended
    expect(first.code).toBe(0)
    const said = JSON.parse(first.stdout) as { made: boolean; key: { fingerprint: string } }
    expect(said).toMatchObject({ made: true, config: 'config.yaml' })
    expect(said.key.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    for (const name of ['evidence.key', 'token.key'])
      expect(statSync(join(folder, '.callsheet', name)).mode & 0o777).toBe(0o600)
    writeFileSync(join(folder, 'config.yaml'), `${read('config.yaml')}\n# mine\n`)
    const second = await start(['init'], { folder }).ended
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('already exists and stays unchanged') as string,
    })
    expect(second.stdout).toContain(said.key.fingerprint)
    expect(read('config.yaml')).toContain('# mine')
  })

  it('fails and creates nothing if the folder for the configuration does not exist', async () => {
    const { code, stderr } = await start(['init', '-c', 'far/away/c.yaml'], { folder }).ended
    expect(code).toBe(2)
    expect(stderr).toContain('the folder far/away does not exist')
    expect(stderr).toContain('what to do: create the folder')
    expect(existsSync(join(folder, 'far'))).toBe(false)
  })

  it('creates nothing at the path of a dangling link', async () => {
    symlinkSync('nowhere', join(folder, 'linked.yaml'))
    const { code, stderr } = await start(['init', '-c', 'linked.yaml'], { folder }).ended
    expect([code, stderr]).toEqual([2, expect.stringContaining('a broken link')])
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  function read(name: string): string {
    return readFileSync(join(folder, name), 'utf8')
  }
})

describe('audit export and verify:', () => {
  let bench: Workbench
  let fingerprint: string
  let noted: string
  beforeAll(async () => {
    bench = await openWorkbench()
    await start(['init'], { folder: bench.folder, environment: { DATABASE: bench.databaseUrl } })
      .ended
    ;({ fingerprint, noted } = await fill(bench))
  })
  afterAll(() => bench.close())

  it('unchanged evidence passes; without a noted checkpoint and key, two checks are open', async () => {
    const { code, stdout } = await bench.run('verify', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      intact: true,
      accounts: [
        {
          account: 'main',
          findings: [],
          notJudged: [{}, {}].map(() => expect.any(String) as string),
        },
      ],
    })
    const pinned = await bench.run('verify', '--json', '--checkpoint', noted, '--key', fingerprint)
    expect(JSON.parse(pinned.stdout)).toMatchObject({ accounts: [{ notJudged: [] }] })
  })

  it('a bundle is written, recorded, and verified in a folder without a configuration', async () => {
    const made = await bench.run(
      'audit',
      'export',
      '--from',
      '2026-06-01',
      '--to',
      '2026-06-01',
      '--json',
    )
    // The test inserted the data without a run, so the workbook is omitted, with a problem.
    expect(made.code).toBe(1)
    const { bundles } = JSON.parse(made.stdout) as {
      bundles: { path: string; facts: object; problems: string[] }[]
    }
    expect(bundles[0]?.problems).toEqual([expect.stringContaining('contains no workbook')])
    const path = bundles[0]?.path ?? ''
    expect(bundles[0]?.facts).toMatchObject({ account: 'main', entries: 3, records: 2, files: 1 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('.part'))).toEqual([])
    const empty = join(bench.folder, 'empty')
    mkdirSync(empty, { recursive: true })
    const check = (...args: string[]) =>
      start(['verify', '--bundle', path, ...args], { folder: empty }).ended
    const good = await check('--key', fingerprint, '--checkpoint', noted)
    expect(good).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing was altered/) as string,
    })
    expect(good.stdout).not.toContain('Not checked')
    expect(await check('--key', 'ab'.repeat(32))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('key exchanged: key.pem') as string,
    })
    expect(await check('--key', fingerprint, '--account', 'main')).toMatchObject({ code: 0 })
    expect(await check('--key', fingerprint, '--account', 'second')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /other account: .*\n +expected: second\n +found: +main/,
      ) as string,
    })
    expect(await check('--key', 'abc')).toMatchObject({ code: 2 })
    expect(await start(['verify', '--bundle', 'none.zip'], { folder: empty }).ended).toMatchObject({
      code: 2,
    })
    const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
    const { rows } = await sql<{ report: string; params: object }>`
      select report, params from callsheet.published_reports where report = 'audit-export'`.execute(
      warehouse.db,
    )
    await warehouse.close()
    expect(rows).toMatchObject([
      { params: { from: '2026-06-01T00:00:00.000Z', by: expect.any(String) as string } },
    ])
  })

  it('the signer of a bundle is unknown if no key is named', async () => {
    const days = ['--from', '2026-06-04', '--to', '2026-06-04']
    await bench.run('audit', 'export', ...days)
    const path = join(bench.folder, 'out', 'main-audit-2026-06-04-2026-06-04.zip')
    const { code, stdout } = await bench.run('verify', '--bundle', path)
    expect(code).toBe(4)
    expect(stdout).toMatch(/^The signer of this bundle is not known\..*--key FINGERPRINT/)
    expect(stdout).not.toContain('Nothing was altered')
  })

  it('bundles of the same days for different IDs have different paths, which contain no ID', async () => {
    const days = ['--from', '2026-06-02', '--to', '2026-06-02', '--json']
    const paths = []
    for (const scope of [[], ['--user', 'u-1'], ['--user', 'u-2'], ['--whiteboard', 'u-1']]) {
      const { stdout } = await bench.run('audit', 'export', ...days, ...scope)
      paths.push((JSON.parse(stdout) as { bundles: { path: string }[] }).bundles[0]?.path ?? '')
    }
    expect(new Set(paths).size).toBe(4)
    expect(paths.map((path) => statSync(path).isFile())).toEqual([true, true, true, true])
    expect(paths.join()).not.toContain('u-1')
  })

  it('a bundle does not overwrite a different file at its path', async () => {
    const days = ['--from', '2026-06-03', '--to', '2026-06-03']
    const path = join(bench.folder, 'out', 'main-audit-2026-06-03-2026-06-03.zip')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'mine')
    const { stderr } = await bench.run('audit', 'export', ...days)
    expect(stderr).toMatch(/03\.zip may have been edited .*the new file is .*03 \(2\)\.zip/)
    const again = await bench.run('audit', 'export', ...days, '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({
      bundles: [{ path: path.replace('.zip', ' (2).zip'), kept: path }],
    })
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })

  it('verify names a changed file in the store, and exits with 1', async () => {
    const digest = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'
    writeFileSync(join(bench.folder, 'archive', 'main', 'files', '2', digest), 'y')
    const { code, stdout } = await bench.run('verify')
    expect(code).toBe(1)
    expect(stdout).toMatch(/file changed: the file of \S+\/s\/a[^]*to do: run `.*archive`,.* name/)
    expect(stdout).toContain(digest)
    const status = await bench.run('status')
    expect(status.stdout).toMatch(/^RED evidence_broken: .* found 1 problem/m)
    expect(status.code).toBe(1)
  })

  it('a read-only role can verify too, and reports that nothing is recorded', async () => {
    const warehouse = connect({ url: bench.databaseUrl, poolSize: 1 })
    await sql`do $$ begin execute
      format('alter database %I set default_transaction_read_only = on', current_database());
      end $$`.execute(warehouse.db)
    await warehouse.close()
    const { stdout } = await bench.run('verify')
    expect(stdout).toContain('The result of this verification, which was not recorded')
    const runs = await bench.run('runs', '--json')
    const { runs: told } = JSON.parse(runs.stdout) as { runs: { job: string; state: string }[] }
    const verified = told.filter(({ job }) => job === 'verify').map(({ state }) => state)
    expect(verified).toEqual(['incomplete', 'complete', 'complete'])
  })
})

/** Adds a session with an activity and its file, logged and signed as by a sync. */
async function fill({ folder, databaseUrl }: Workbench) {
  const warehouse = connect({ url: databaseUrl, poolSize: 3 })
  const store = createDirectoryStore(join(folder, 'archive', 'main'))
  await store.open()
  const stage = { warehouse, store } as Parameters<typeof addFile>[0]
  const runId = await addRun(stage)
  await addSession(stage, { runId, id: 's' })
  await addActivity(stage, { runId, session: 's', id: 'a' })
  await addFile(stage, { runId, session: 's', id: 'a', content: 'x' })
  const witnesses = { asked: [], needed: null }
  const stamps = { timestampUrl: null, timestampRoots: [] }
  const settings = { evidence: { signingKey: null, previousKeys: [], ...stamps, witnesses } }
  const known = knownEvidenceKey({ ...settings, stateDirectory: join(folder, '.callsheet') })
  const key = readSigningKey(known?.pem ?? '', 'a test')
  const lease = await acquireLease(warehouse, { account: 'main', job: 'test', clock: systemClock })
  const { checkpoint: noted = '' } = await appendEvidence(
    { warehouse, clock: systemClock, observer: silentObserver },
    {
      account: 'main',
      lease,
      key,
      previousKeys: [],
      store,
      streams: STREAMS,
      signal: new AbortController().signal,
    },
  )
  await lease.release()
  await store.close()
  await warehouse.close()
  return { fingerprint: key.publicKey.fingerprint, noted }
}
