import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wrongFloors } from './tidy/floors.ts'
import { wrongHead, wrongHeads } from './tidy/heads.ts'
import { cycles, strayPackages, wrongDirections } from './tidy/imports.ts'
import { leftovers, longFiles, longFunctions, longLines } from './tidy/limits.ts'
import { namesakes } from './tidy/namesakes.ts'
import { misnamedTests } from './tidy/needs.ts'
import { strayGlobals } from './tidy/owners.ts'
import { strayListeners } from './tidy/points.ts'
import { FLOORS, ROOMS } from './tidy/rooms.ts'
import { ROOT, readSources, sample } from './tidy/source-files.ts'
import { tripped, trippedPage } from './tidy/tripwires.ts'

const program = readSources(['src', 'sandbox', 'jobs', 'reports', 'migrations'])
const everything = [...program, ...readSources(['test', 'bench', '.ci'])]

/** Rooms and pages of the evidence, whose words are still to be rewritten. */
const LEFT = /^src\/(evidence|audit)\/|^docs\/(evidence|security|verify)\.md$/

function markdown(folder: string): string[] {
  const recursive = folder !== '.'
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
}

describe('the source tree', () => {
  it('is not empty in these tests', () => {
    expect(program.length).toBeGreaterThan(60)
    expect(everything.length).toBeGreaterThan(program.length + 20)
    expect(everything.every((file) => file.ast.statements.length > 0)).toBe(true)
  })

  it('keeps files, functions and lines short', () => {
    expect(everything.flatMap(longFiles)).toEqual([])
    expect(everything.flatMap(longFunctions)).toEqual([])
    expect(everything.flatMap(longLines)).toEqual([])
  })

  it('imports only in the direction of the rooms, without a cycle', () => {
    expect(program.flatMap(wrongDirections)).toEqual([])
    expect(cycles(everything)).toEqual([])
  })

  it('imports within a room only down its order of folders, which names every folder', () => {
    expect(program.flatMap(wrongFloors)).toEqual([])
    const named = Object.entries(FLOORS).flatMap(([name, floors]) => {
      const room = name === 'sandbox' ? name : `src/${name}`
      return floors.flat().map((folder) => (folder === '.' ? room : `${room}/${folder}`))
    })
    const folders = new Set(program.map(({ path }) => dirname(path)))
    expect(named.filter((folder) => !folders.has(folder))).toEqual([])
  })

  it('has the rooms of ARCHITECTURE.md, in their order', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
    const [, drawn = ''] = /^## Rooms\n([\s\S]*?)^## /m.exec(text) ?? []
    const named = [...drawn.matchAll(/^\| `(\w+)` \|/gm)].map(([, room]) => room)
    expect(named).toEqual(ROOMS)
  })

  it('opens each room with a page about its promise and contents', () => {
    expect(wrongHeads()).toEqual([])
  })

  it('has no two exported types of one name', () => {
    const migrated = (path: string) => path.startsWith('migrations/')
    expect(namesakes(program.filter(({ path }) => !migrated(path)))).toEqual([])
  })

  it('uses each external package and global only in its owner', () => {
    expect(program.flatMap(strayPackages)).toEqual([])
    expect(program.flatMap(strayGlobals)).toEqual([])
  })

  it('uses none of the banned words', () => {
    const spoken = readSources(['src', 'jobs', 'reports']).filter(({ path }) => !LEFT.test(path))
    const pages = [...markdown('docs'), ...markdown('.'), 'config.example.yaml']
    const read = pages.filter((path) => !LEFT.test(path) && path !== 'docs/troubleshoot.md')
    const inPages = read.flatMap((path) =>
      trippedPage(path, readFileSync(join(ROOT, path), 'utf8')),
    )
    expect([...spoken.flatMap(tripped), ...inPages]).toEqual([])
  })

  it('names each test file by its needs', () => {
    expect(misnamedTests(everything)).toEqual([])
  })

  it('has no failpoint listener outside the tests', () => {
    expect(program.flatMap(strayListeners)).toEqual([])
  })

  it('contains no leftover markers and no test that disables others', () => {
    expect(everything.flatMap(leftovers)).toEqual([])
  })
})

describe('each rule of the source tree can fail', () => {
  it('on a missing or wrong opening page of a room', () => {
    const row = '| `sync` | Reads. |'
    const folders = FLOORS.sync?.flat().filter((name) => name !== '.') ?? []
    const table = folders.map((name) => `| \`${name}\` | words |`).join('\n')
    const head = `# sync\n\nReads.\n\nBegin with \`sync.ts\`.\n\n${table}\n`
    expect(wrongHead('sync', head, row)).toEqual([])
    const wrong = [
      head.replace('# sync', '# read'),
      head.replace('Reads.', 'reads'),
      head.replace('Reads.', 'Writes.'),
      head.replace('| `plan` |', '| `plans` |'),
      head.replace('sync.ts', 'night.ts'),
    ]
    for (const one of wrong) expect(wrongHead('sync', one, row)).not.toEqual([])
  })

  it('on a banned word', () => {
    const trips = (text: string): number => tripped(sample('src/a.ts', text)).length
    expect(trips("const told = 'told'")).toBe(0)
    expect(trips("const a = 'Nobody knows whose it is.'")).toBe(1)
    expect(trips('const a = `${b} is gone for good, ${c} was told`')).toBe(2)
    expect(trips('/** Read in\n * vain. */\nconst a = 1')).toBe(1)
    expect(trippedPage('a.md', 'A key of before\n`mended-alert` says')).toEqual([
      'a.md:1 of before',
    ])
  })

  it('on the length of a file, function or line', () => {
    expect(longFiles(sample('a.ts', lines(250)))).toEqual([])
    expect(longFiles(sample('a.ts', lines(251)))).toHaveLength(1)
    expect(longFunctions(sample('a.ts', `const f = () => {\n${lines(58)}}`))).toEqual([])
    expect(longFunctions(sample('a.ts', `const f = () => {\n${lines(59)}}`))).toHaveLength(1)
    expect(longFunctions(sample('a.ts', `class A { m() {\n${lines(59)}} }`))).toHaveLength(1)
    expect(longLines(sample('a.ts', `// ${'x'.repeat(107)}`))).toEqual([])
    expect(longLines(sample('a.ts', `// ${'x'.repeat(108)}`))).toHaveLength(1)
  })

  it.each([
    ['src/core/a.ts', '../api/b.ts'],
    ['src/api/a.ts', '../warehouse/b.ts'],
    ['src/sync/a.ts', '../resources/users.ts'],
    ['src/sync/a.ts', '../cli/b.ts'],
    ['src/serve/a.ts', '../../sandbox/server/server.ts'],
    ['sandbox/server/a.ts', '../../src/api/b.ts'],
    ['src/cli/sync.ts', '../../jobs/users.ts'],
    ['jobs/users.ts', '../src/sync/sync.ts'],
    ['migrations/0002_a.ts', '../src/core/time/time.ts'],
    ['src/elsewhere/a.ts', './b.ts'],
  ])('on an import against the order of rooms: from %s to %s', (path, target) => {
    expect(wrongDirections(sample(path, `import { b } from '${target}'`))).not.toEqual([])
    expect(wrongDirections(sample(path, `const b = await import('${target}')`))).not.toEqual([])
  })

  it.each([
    ['src/sync/run/a.ts', '../read/b.ts'],
    ['src/sync/plan/a.ts', '../sync.ts'],
    ['src/api/quota/a.ts', '../client.ts'],
    ['sandbox/base/a.ts', '../server/b.ts'],
    ['src/core/attic/a.ts', '../time/b.ts'],
  ])('on an import against the order of folders: from %s to %s', (path, target) => {
    expect(wrongFloors(sample(path, `import { b } from '${target}'`))).toHaveLength(1)
  })

  it.each([
    ['test/a.test.ts', 'serverUrl', '.db'],
    ['test/a.test.ts', 'programs', '.lane'],
    ['test/a.db.test.ts', 'programs', '.lane'],
    ['test/a.db.test.ts', 'nothing', ''],
  ])('on the name of a test: %s, whose helper injects %s', (path, what, due) => {
    const test = sample(path, "import { a } from './helpers/a.ts'")
    const [finding] = misnamedTests([test, sample('test/helpers/a.ts', `inject('${what}')`)])
    expect(finding).toBe(`${path} must end with ${due}.test.ts by what it needs`)
  })

  it('but not if the direction is correct', () => {
    const right = [
      sample('src/account/catalog.ts', "import users from '../../jobs/users.ts'"),
      sample('src/sync/a.ts', "export * from '../api/client.ts'"),
      sample('jobs/users.ts', "import type { Job } from '../src/core/define/job.ts'"),
    ]
    expect(right.flatMap(wrongDirections)).toEqual([])
  })

  it.each([
    ['src/sync/a.ts', 'undici'],
    ['src/sync/a.ts', 'pg'],
    ['src/api/client.ts', 'p-queue'],
    ['src/cli/main.ts', 'node-cron'],
    ['reports/a.ts', 'exceljs'],
    ['src/api/a.ts', 'hono/logger'],
  ])('on a package: %s uses %s', (path, name) => {
    expect(strayPackages(sample(path, `import x from '${name}'`))).toHaveLength(1)
  })

  it.each([
    'process.env.HOME',
    'Date.now()',
    'performance.now()',
    'new Date()',
    'setTimeout(f, 1)',
    'console.error(1)',
    'process.stdout.write("")',
    "import { setTimeout as wait } from 'node:timers/promises'",
  ])('on a global: %s in a room', (code) => {
    expect(strayGlobals(sample('src/sync/a.ts', code))).toHaveLength(1)
    expect(strayGlobals(sample('src/sync/a.ts', 'new Date(clock.now())'))).toEqual([])
  })

  it.each([
    "import { listenAtPoints } from '../core/kill-point.ts'",
    "import { point, listenAtPoints as listen } from '../core/kill-point.ts'",
    "import * as points from '../core/kill-point.ts'",
    "export * from '../core/kill-point.ts'",
    "export { listenAtPoints } from '../core/kill-point.ts'",
    "const points = await import('../core/kill-point.ts')",
  ])('on a listener: %s in a room', (code) => {
    expect(strayListeners(sample('src/sync/a.ts', code))).toHaveLength(1)
    const right = "import { point, type PointListener } from '../core/kill-point.ts'"
    expect(strayListeners(sample('src/sync/a.ts', right))).toEqual([])
  })

  it('on a type name that two files export', () => {
    const twice = ['src/a.ts', 'src/b.ts'].map((path) => sample(path, 'export type A = 1'))
    expect(namesakes(twice)).toEqual(['A is a type of src/a.ts, src/b.ts'])
    expect(namesakes(twice.slice(1))).toEqual([])
    expect(namesakes([...twice.slice(1), sample('src/c.ts', 'interface A {}')])).toEqual([])
  })

  it('on an import cycle', () => {
    const circle = [
      sample('src/a.ts', "import './b.ts'"),
      sample('src/b.ts', "import './c.ts'"),
      sample('src/c.ts', "import type { A } from './a.ts'"),
    ]
    expect(cycles(circle)).toEqual(['src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts'])
    expect(cycles(circle.slice(0, 2))).toEqual([])
  })

  it('on a leftover marker', () => {
    const marks = ['// TO-DO later', "it.on-ly('x')", '// FIX-ME'].map((text) =>
      text.replace('-', ''),
    )
    expect(marks.flatMap((text) => leftovers(sample('a.ts', text)))).toHaveLength(3)
  })
})

function lines(count: number): string {
  return 'x()\n'.repeat(count)
}
