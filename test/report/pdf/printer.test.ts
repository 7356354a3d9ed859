import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../../src/core/time/clock.ts'
import { createPrinter, PAGE } from '../../../src/report/pdf/printer.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

let programs: string
let folder: string
beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), 'callsheet-programs-'))
})
beforeEach(() => {
  folder = mkdtempSync(join(programs, 'print-'))
  writeFileSync(join(folder, PAGE), '<p>')
})
afterAll(() => rmSync(programs, { recursive: true }))

const WRITES = `printf '%%PDF-1.4\\n%%%%EOF\\n' > page.pdf`

/** Prints with a shell script in place of Chromium. */
async function print(script: string, given: { clock?: Clock; signal?: AbortSignal } = {}) {
  const chromium = join(programs, 'chromium')
  writeFileSync(chromium, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const environment = { PATH: process.env.PATH }
  await createPrinter({ chromium, environment, clock: systemClock, ...given }).print(folder)
}

describe('a printer', () => {
  it('passes nothing to Chromium that depends on the report, and no variable of ours', async () => {
    process.env['CALLSHEET_TEST_SECRET'] = 'hidden'
    await print(`env > seen; printf '%s\\n' "$@" >> seen; ${WRITES}`)
    const seen = readFileSync(join(folder, 'seen'), 'utf8')
    expect(seen).toContain('--headless')
    expect(seen).not.toContain('hidden')
    const said = seen.split('\n').filter((line) => line.startsWith('-') || line === PAGE)
    expect(said.join(' ')).not.toContain(folder)
    expect(seen).toMatch(/^HOME=.*\/home$/m)
  })

  it('needs no sandbox as root, and only then', async () => {
    await print(`printf '%s\\n' "$@" > seen; ${WRITES}`)
    const seen = readFileSync(join(folder, 'seen'), 'utf8')
    expect(seen.includes('--no-sandbox')).toBe(process.getuid?.() === 0)
  })

  it('fails if Chromium fails, and names the exit code', async () => {
    await expect(print('exit 1')).rejects.toMatchObject({
      code: 'chromium_failed',
      facts: { came: 'it ended with exit code 1' },
    })
  })

  it.each([
    ['nothing', 'exit 0'],
    ['a part', `printf '%%PDF-1.4' > page.pdf`],
    ['something else', 'echo oops > page.pdf'],
  ])('fails if Chromium reports success and wrote %s', async (_what, script) => {
    await expect(print(script)).rejects.toMatchObject({
      code: 'chromium_failed',
      facts: { came: 'it wrote no complete PDF' },
    })
  })

  it('says what to do about a sandbox, and nothing else of what Chromium said', async () => {
    const said = `echo 'No usable sandbox! /secret/path' >&2; exit 5`
    const error = await print(said).catch((reason: Error) => reason)
    expect(error).toMatchObject({
      facts: { todo: expect.stringContaining('user namespaces') as string },
    })
    expect((error as Error).message).not.toContain('secret')
  })

  it('stops Chromium and its children at the time limit', async () => {
    const clock = manualClock(0)
    const hanging = print(HANGS, { clock })
    void hanging.catch(() => {})
    await begun()
    await clock.advance(60_000)
    await expect(hanging).rejects.toMatchObject({
      code: 'chromium_late',
      facts: { came: 'it was stopped because it ran longer than 60 s' },
    })
    await gone()
  })

  it('stops Chromium and its children when the run is stopped', async () => {
    const stop = new AbortController()
    const hanging = print(HANGS, { signal: stop.signal })
    void hanging.catch(() => {})
    await begun()
    stop.abort(new Error('stopped by SIGTERM'))
    await expect(hanging).rejects.toThrow('stopped by SIGTERM')
    await gone()
  })

  it('does not start Chromium once the run is stopped', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(print('touch seen', { signal })).rejects.toThrow('stopped')
    expect(existsSync(join(folder, 'seen'))).toBe(false)
  })

  it('leaves nothing in the system’s folder of temporary files', async () => {
    await print(`echo $TMPDIR > seen; touch $TMPDIR/socket; ${WRITES}`)
    const sockets = readFileSync(join(folder, 'seen'), 'utf8').trim()
    expect(sockets.startsWith(tmpdir())).toBe(true)
    expect(existsSync(sockets)).toBe(false)
    expect(readdirSync(folder).toSorted()).toEqual(['home', 'page.html', 'page.pdf', 'seen'])
  })
})

/** Waits in a child that ignores polite requests to end. */
const HANGS = `sh -c 'trap "" TERM; echo $$ > child.part; mv child.part child; sleep 600' & wait`

async function begun(): Promise<void> {
  while (!existsSync(join(folder, 'child'))) await systemClock.sleep(10)
}

/** Waits until the child has ended; the test's time limit ends the wait. */
async function gone(): Promise<void> {
  const pid = Number(readFileSync(join(folder, 'child'), 'utf8'))
  while (runs(pid)) await systemClock.sleep(10)
  expect(runs(pid)).toBe(false)
}

/** A process that has ended and that nobody has waited for does not run. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
