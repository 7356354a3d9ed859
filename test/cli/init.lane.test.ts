import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { expectShown, linesOf } from './shown.ts'
import { openWorkbench, start, type Workbench } from './workbench.ts'

/** `script` runs a program on its own terminal; only util-linux's version has the options used here. */
const hasTerminals = String(spawnSync('script', ['--version']).stdout).includes('util-linux')

describe.skipIf(!hasTerminals)('init on a terminal', () => {
  let bench: Workbench
  let folder: string
  beforeAll(async () => {
    bench = await openWorkbench()
    return () => bench.close()
  })
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-ask-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  it('asks, checks each answer, and writes a working configuration', async () => {
    const { answer, ended } = onTerminal(folder)
    const { baseUrl, authUrl } = bench.sandbox
    const wrongUrl = bench.databaseUrl.replace(/\/[^/]*$/, '/not-there')
    await answer('every row will have [main]: ', 'Main')
    await answer('Enter a name of lower-case letters', '')
    await answer('API address, with its version', 'http://127.0.0.1:1/v2')
    await answer('authorization server (authUrl) [http://127.0.0.1:1]: ', '')
    await answer('Account ID: ', 'acct-1')
    await answer('Client ID: ', 'client-1')
    await answer('Client secret: ', 'wrong-secret-7')
    await answer('failed: Requesting a token from the authorization server', undefined)
    await answer('Answer again? [Y/n] ', '')
    await answer('API address, with its version (baseUrl) [http://127.0.0.1:1/v2]', baseUrl)
    await answer(`authorization server (authUrl) [${new URL(baseUrl).origin}]: `, authUrl)
    await answer('failed: Requesting a token from the authorization server', undefined)
    await answer('Answer again? [Y/n] ', '')
    await answer('Client ID [client-1]: ', '')
    await answer('Client secret (Enter keeps it): ', 'client-secret-1')
    await answer('ok: the service granted a token', undefined)
    await answer('Video API key', 'video-key-1')
    await answer('Video API secret: ', 'wrong-secret-8')
    await answer('failed: GET /videosdk/recordings', undefined)
    await answer('Answer again? [Y/n] ', '')
    await answer('Video API key (empty: none) [video-key-1]: ', '')
    await answer('Video API secret (Enter keeps it): ', 'video-secret-1')
    await answer('ok: the service accepts the video key', undefined)
    await answer('Database URL', wrongUrl)
    await answer('does not exist', undefined)
    await answer('Answer again? [Y/n] ', 'y')
    await answer('Database URL (Enter keeps it; - for embedded): ', bench.databaseUrl)
    await answer('ok: Postgres', undefined)
    const { code, shown } = await ended
    expect(code).toBe(0)
    expect(shown).not.toContain('enter your account')
    expect(shown).not.toContain('whose check failed')
    // Neither an unreachable address nor a rejected secret casts doubt on the account ID.
    expect(shown.split('Account ID')).toHaveLength(2)
    const page = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8')
    const [, lines = ''] = /```text\n([^]*?)```/.exec(page) ?? []
    expect(linesOf(lines).length).toBeGreaterThan(7)
    expectShown(shown, linesOf(lines))
    const secrets = ['wrong-secret-7', 'client-secret-1', 'wrong-secret-8', 'video-secret-1']
    for (const secret of [...secrets, bench.databaseUrl]) expect(shown).not.toContain(secret)
    const files = [
      'secrets/main.client-secret',
      'secrets/main.video-secret',
      'secrets/database-url',
    ]
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700)
    const text = read('config.yaml')
    for (const file of files) expect(text).toContain(`file:${file}`)
    expect(read('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['/config.yaml', '/secrets/']),
    )
    const doctor = await start(['doctor'], { folder }).ended
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok +main token/m) })
    expect(doctor.stdout).not.toContain('warning  configuration')
  })

  it('accepts answers that cannot be checked now, and lists lines to add to .gitignore', async () => {
    writeFileSync(join(folder, '.gitignore'), 'config.yaml\nnode_modules\n')
    const { answer, ended } = onTerminal(folder)
    await answer('[main]: ', 'other')
    await answer('API address', 'http://127.0.0.1:1/v2')
    await answer('authorization server (authUrl) [http://127.0.0.1:1]', '')
    await answer('Account ID: ', '123')
    await answer('Client ID: ', '456')
    await answer('Client secret: ', 'hush')
    await answer('Answer again? [Y/n] ', 'n')
    await answer('Video API key', '')
    await answer('Database URL', '')
    const { code, shown } = await ended
    expect([code, shown]).toEqual([0, expect.stringContaining('  /secrets/')])
    expect(shown).not.toContain('  /config.yaml')
    const next = shown.slice(shown.indexOf('Next:'))
    expect(next).toMatch(/^- fix the token, whose check failed: .+\r?\n- check everything/m)
    expect(read('config.yaml')).toMatch(/accountId: "123"[^]*# videoSessions[^]*url: null/)
    expect(readdirSync(join(folder, 'secrets'))).toEqual(['other.client-secret'])
    expect(read('.gitignore')).toBe('config.yaml\nnode_modules\n')
  })

  it.each(['Client secret: ', 'Account ID: ', '[main]: '])(
    'leaves nothing after Ctrl-C at "%s"',
    async (at) => {
      const { answer, ended } = onTerminal(folder)
      const answers: [string, string][] = [
        ['[main]: ', ''],
        ['API address', bench.sandbox.baseUrl],
        ['authorization server', ''],
        ['Account ID: ', 'acct-1'],
        ['Client ID: ', 'client-1'],
        ['Client secret: ', ''],
      ]
      for (const [question, text] of answers) {
        if (question === at) break
        await answer(question, text)
      }
      await answer(at, '\u0003', '')
      expect((await ended).code).toBe(130)
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('replaces no file without a confirmation', async () => {
    await start(['init'], { folder }).ended
    const before = read('config.yaml')
    const { answer, ended } = onTerminal(folder)
    await answer('config.yaml already exists. Replace it? [y/N] ', '')
    const { code, shown } = await ended
    expect([code, shown]).toEqual([0, expect.stringContaining('stays unchanged')])
    expect(read('config.yaml')).toBe(before)
    expect(shown).toContain('enter your account in config.yaml')
    writeFileSync(join(folder, 'config.yaml'), before.replace('your-client-id', 'client-1'))
    const filledIn = onTerminal(folder)
    await filledIn.answer('Replace it? [y/N] ', '')
    const next = (await filledIn.ended).shown
    expect(next).toContain('check everything that a sync needs')
    expect(next).not.toContain('enter your account')
  })

  function read(name: string): string {
    return readFileSync(join(folder, name), 'utf8')
  }
})

interface OnTerminal {
  child: ChildProcess
  /** Waits for a text, and then types an answer and Enter. */
  answer(text: string, typed: string | undefined, enter?: string): Promise<void>
  ended: Promise<{ code: number | null; shown: string }>
}

function onTerminal(folder: string): OnTerminal {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const command = `${process.execPath} ${inject('programs').callsheet} init`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, NO_COLOR: '1', TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  let read = 0
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  const ended = new Promise<{ code: number | null; shown: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, shown: stripVTControlCharacters(shown) })),
  )
  return {
    child,
    ended,
    async answer(text, typed, enter = '\r') {
      await expect.poll(() => shown.slice(read)).toContain(text)
      read = shown.indexOf(text, read) + text.length
      if (typed !== undefined) child.stdin.write(typed + enter)
    },
  }
}
