import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSmallFile } from '../../src/core/read-small-file.ts'
import { account } from '../config/config-folder.ts'

/**
 * Expressions that read the file at a path. A process of their own runs them, because nobody can interrupt
 * one that waits for a pipe, or reads a device without end.
 */
const READ: Readonly<Record<string, (path: string) => string>> = {
  configuration: (path) => `loadConfig({ path: ${json(path)}, jobs, environment: {} })`,
  'an account of its own'(path) {
    const directory = fresh('accounts.d')
    mkdirSync(directory)
    symlinkSync(path, join(directory, 'a.yaml'))
    return loading([...account, `accountsDirectory: ${directory}`])
  },
  'a client secret'(path) {
    const lines = account.map((line) => line.replace('env:SECRET', `file:${path}`))
    return `${loading(lines)}.config.accounts[0].clientSecret.reveal()`
  },
  'a token key that is named': (path) =>
    `tokenKey(${loading([...account, `tokenKey: file:${path}`])}.config)`,
  'the token key'(path) {
    const state = stateWith('token.key', path)
    return `tokenKey({ tokenKey: null, stateDirectory: ${json(state)} })`
  },
  'the evidence key'(path) {
    const state = stateWith('evidence.key', path)
    return `evidenceKey({ evidence: { signingKey: null }, stateDirectory: ${json(state)} })`
  },
  'the roots of time stamps': (path) => `readRoots([${json(path)}])`,
  'the authority of the database'(path) {
    const url = `postgresql://u:p@db.example/d?sslmode=verify-full&sslrootcert=${path}`
    return `parseDatabaseUrl(${json(url)}, false)`
  },
  'what is to be applied': (path) => `readWishes(${json(path)}, [])`,
  'the body of a call': (path) => `readCallBody(${json(`@${path}`)})`,
  'an edited workbook': (path) => `await readOrigin(${json(path)})`,
  'a bundle': (path) => `await readBundle(${json(path)})`,
  'who is to be erased': (path) => `await readLines(${json(path)})`,
}

let folder: string
const server = createServer()
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-small-'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  mkdirSync(join(folder, 'folder'))
  symlinkSync('/dev/zero', join(folder, 'zero-link'))
  symlinkSync('pipe', join(folder, 'pipe-link'))
  writeFileSync(join(folder, 'huge'), 'x')
  truncateSync(join(folder, 'huge'), 2 ** 36)
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

let count = 0
const json = (text: string): string => JSON.stringify(text)
const fresh = (name: string): string => join(folder, `${++count}-${name}`)

function loading(lines: readonly string[]): string {
  const path = fresh('config.yaml')
  writeFileSync(path, lines.join('\n'))
  return `loadConfig({ path: ${json(path)}, jobs, environment: {} })`
}

function stateWith(name: string, target: string): string {
  const state = fresh('state')
  mkdirSync(state, { mode: 0o700 })
  symlinkSync(target, join(state, name))
  return state
}

const IMPORTS = {
  'config/load-config.ts': 'loadConfig',
  'config/token-key.ts': 'tokenKey',
  'config/evidence-key.ts': 'evidenceKey',
  'account/timestamp-roots.ts': 'readRoots',
  'warehouse/database-url.ts': 'parseDatabaseUrl',
  'apply/desired/read-wishes.ts': 'readWishes',
  'cli/call-input.ts': 'readCallBody',
  'apply/workbook/read-origin.ts': 'readOrigin',
  'audit/bundle/read-bundle.ts': 'readBundle',
  'cli/erase.ts': 'readLines',
}

/** What is said of each reading by a process that has half a minute for all of them. */
function readings(expressions: readonly string[]): Promise<string[]> {
  const root = pathToFileURL(join(import.meta.dirname, '../../src/'))
  const imports = Object.entries(IMPORTS).map(
    ([file, name]) => `import { ${name} } from '${new URL(file, root).href}'`,
  )
  const tries = expressions.map(
    (expression) =>
      `try { ${expression}; console.log('was read') } catch (error) { console.log(error.message) }
       most = Math.max(most, process.memoryUsage.rss())`,
  )
  const jobs = "const jobs = [{ name: 'users', schedule: '0 1 * * *' }]"
  // The peak that the system knows of begins with that of the process that started this one.
  const script = [...imports, jobs, 'let most = 0', ...tries, 'console.log(most)'].join('\n')
  const options = { timeout: 30_000, killSignal: 'SIGKILL' } as const
  const args = ['--input-type=module', '--eval', script]
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve(error === null ? stdout.split('\n') : [`${stderr}${error.message}`]),
    )
    child.stdin?.end()
  })
}

const OTHERS: readonly (readonly [string, string])[] = [
  ['pipe', 'the file is a pipe'],
  ['pipe-link', 'the file is a pipe'],
  ['folder', 'the file is a folder'],
  ['socket', 'the file is a socket'],
  ['huge', 'the file is larger than'],
  ['zero-link', 'the file is a device'],
  ['/dev/zero', 'the file is a device'],
]

it.each(Object.entries(READ))(
  '%s is read only from a regular file of limited size',
  async (what, of) => {
    const said = await readings(
      OTHERS.map(([name]) => of(name.startsWith('/') ? name : join(folder, name))),
    )
    const mostBytes = Number(said[OTHERS.length])
    expect(said.slice(0, OTHERS.length)).toEqual(
      OTHERS.map(([, why]) =>
        // Whoever cannot read the certificates of a database is not told why.
        expect.stringMatching(
          what.endsWith('database')
            ? 'the file cannot be read, or contains no certificate'
            : what.endsWith('workbook')
              ? `${why}|the file has another format`
              : what === 'a bundle'
                ? why.replace('the file is larger than', 'not a ZIP file')
                : why,
        ),
      ),
    )
    expect(mostBytes).toBeLessThan(400_000_000)
  },
)

it('a regular file may be exactly as large as the limit, and may be reached through a link', () => {
  const path = fresh('file')
  writeFileSync(path, 'x'.repeat(64))
  symlinkSync(path, `${path}-link`)
  expect(readSmallFile(`${path}-link`, 64).toString()).toBe('x'.repeat(64))
  expect(() => readSmallFile(path, 63)).toThrow('the file is larger than 63 bytes')
  writeFileSync(path, '')
  expect(readSmallFile(path, 64)).toHaveLength(0)
  // The system says of these that they are empty.
  if (process.platform === 'linux')
    expect(readSmallFile('/proc/self/status', 2 ** 16).toString()).toContain('Name:')
})
