import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { grownLog, SIZES } from '../evidence/foreign/grown-log.ts'

/** Where Debian's golang-golang-x-mod-dev puts the packages. */
const PACKAGES = '/usr/share/gocode'
const there =
  spawnSync('go', ['version']).status === 0 &&
  existsSync(join(PACKAGES, 'src/golang.org/x/mod/sumdb/tlog'))
if (!there)
  process.stdout.write(
    'NOT RUN: what needs Go with golang.org/x/mod/sumdb (golang-go, golang-golang-x-mod-dev), which this ' +
      'machine lacks\n',
  )

let folder: string
describe.runIf(there)('the log, checked by third-party Go packages,', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'callsheet-foreign-'))
    const { members, older, tiles } = await grownLog()
    for (const name of ['checkpoint', 'checkpoint.vkey', 'manifest.ndjson'])
      put(name, members.get(name) ?? '')
    for (const [at, { checkpoint, proof }] of older.entries()) {
      put(`before/${at}.checkpoint`, checkpoint)
      put(`before/${at}.proof`, proof.map((hash) => `${hash.toString('base64')}\n`).join(''))
    }
    for (const [place, hashes] of tiles) put(`tiles/${place}`, hashes)
    const source = join(import.meta.dirname, 'foreign-log/main.go')
    const built = spawnSync('go', ['build', '-o', join(folder, 'verify'), source], {
      encoding: 'utf8',
      env: { ...process.env, ...GO },
    })
    if (built.status !== 0) throw new Error(built.stderr)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  it('is valid: checkpoints, proofs of entries and of consistency, and tiles', () => {
    expect(verified()).toEqual({
      said: expect.stringMatching(
        `^8\\d\\d entries, 2 older checkpoints, ${SIZES[2]} leaves\n$`,
      ) as string,
      status: 0,
    })
  })

  it.each([
    ['checkpoint', (text: string) => text.replace(`\n${SIZES[2]}\n`, '\n826\n')],
    ['checkpoint', (text: string) => text.replace(/.{8}(?=\n\S+ w.example)/, 'AAAAAAA=')],
    ['checkpoint.vkey', (text: string) => text.replace(/\+\w{8}\+/, '+00000000+')],
    ['manifest.ndjson', (text: string) => text.replace('"size":', '"size":1')],
    ['manifest.ndjson', (text: string) => text.replace(/("path":\[")./, '$1_')],
    ['before/1.checkpoint', (text: string) => text.replace(`\n${SIZES[1]}\n`, '\n526\n')],
    ['before/1.proof', (text: string) => text.split('\n').slice(1).join('\n')],
    ['tiles/0/3', (text: string) => text.replace(/^./s, (one) => (one === 'a' ? 'b' : 'a'))],
    ['tiles/1/0', (text: string) => text.slice(1)],
  ])('is invalid if %s was changed', (name, change) => {
    const before = readFileSync(join(folder, name), 'latin1')
    const after = change(before)
    expect(after).not.toBe(before)
    writeFileSync(join(folder, name), after, 'latin1')
    const { said, status } = verified()
    writeFileSync(join(folder, name), before, 'latin1')
    expect(said).toMatch(/^wrong: /)
    expect(status).toBe(1)
  })
})

function put(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}

function verified(): { said: string; status: number | null } {
  const { stdout: said, status } = spawnSync(join(folder, 'verify'), [folder], { encoding: 'utf8' })
  return { said, status }
}

const GO = { GO111MODULE: 'off', GOPATH: PACKAGES, GOCACHE: join(tmpdir(), 'callsheet-go-cache') }
