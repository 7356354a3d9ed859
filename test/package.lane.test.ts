import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/**
 * The package as npm packs it, in a plain folder as npm would put it there. Libraries that it does not bring
 * along are those of this clone, so that no registry is needed.
 */
const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  engines: { node: string }
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  bundleDependencies: string[]
}

let folder: string
let tarball: string
let installed: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-package-'))
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: root, stdio: 'ignore' })
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
  installed = join(folder, 'node_modules', 'callsheet')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  const { dependencies, optionalDependencies, bundleDependencies } = manifest
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const path = join(folder, 'node_modules', name)
    if (bundleDependencies.includes(name) || !existsSync(join(root, 'node_modules', name))) continue
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), path)
  }
  mkdirSync(join(folder, 'node_modules', '.bin'))
  symlinkSync('../callsheet/dist/callsheet.js', join(folder, 'node_modules', '.bin', 'callsheet'))
}, 240_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (args: readonly string[], node: readonly string[] = []) =>
  spawnSync(process.execPath, [...node, join(folder, 'node_modules/.bin/callsheet'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' },
  })

describe('the package', () => {
  it('has less than 4 MB when packed', () => {
    const { size } = statSync(tarball)
    expect(size).toBeGreaterThan(500_000)
    expect(size).toBeLessThan(4_000_000)
  })

  it('has the pages that the README links to, and the pages that they link to', () => {
    const seen = new Set<string>()
    const missing: string[] = []
    const look = (page: string): void => {
      if (seen.has(page)) return
      seen.add(page)
      const text = readFileSync(join(installed, page), 'utf8')
      for (const [, link = ''] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        const path = normalize(join(dirname(page), link))
        if (!existsSync(join(installed, path))) missing.push(`${page}: ${link}`)
        else if (path.endsWith('.md')) look(path)
      }
    }
    look('README.md')
    expect(missing).toEqual([])
    expect(seen.size).toBeGreaterThan(20)
  })

  it('includes the workbook library without its browser files', () => {
    const bundled = join(installed, 'node_modules')
    const files = readdirSync(bundled, { recursive: true, encoding: 'utf8' })
    expect(files.length).toBeGreaterThan(500)
    expect(files.filter((path) => path.endsWith('.map'))).toEqual([])
    const made = spawnSync(
      process.execPath,
      ['-e', 'new (require("exceljs").stream.xlsx.WorkbookWriter)({filename:"a.xlsx"}).commit()'],
      { cwd: join(installed, 'dist'), encoding: 'utf8' },
    )
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(join(installed, 'dist', 'a.xlsx'))).toBe(true)
  })
})

describe('the installed package in a plain folder:', () => {
  it('init writes a short configuration and its schema, and prints the next steps', () => {
    const { status, stdout, stderr } = run(['init'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('check everything that a sync needs: callsheet doctor')
    const text = readFileSync(join(folder, 'config.yaml'), 'utf8')
    expect(text.split('\n').length).toBeLessThan(40)
    const [, schema = ''] = /^# yaml-language-server: \$schema=(.+)$/m.exec(text) ?? []
    expect(readFileSync(join(folder, schema), 'utf8')).toBe(
      readFileSync(join(root, 'config.schema.json'), 'utf8'),
    )
    const [, example = ''] = /^# (.+config\.example\.yaml)$/m.exec(text) ?? []
    expect(existsSync(example)).toBe(true)
  })

  it('help, refusals and errors name the program', () => {
    expect(run(['sync', '--help']).stdout).toMatch(/^Usage: callsheet sync/)
    const { status, stderr } = run(['status', '--config', 'none.yaml'])
    expect(status).toBe(2)
    expect(stderr).toContain('create a configuration with callsheet init')
  })

  it.each(['12.22.12', '20.20.2', '22.17.1'])('Node %s is rejected as too old', (old) => {
    const { status, stdout, stderr } = run(['status'], preload(old))
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`this is Node ${old}`)
    expect(stderr).toContain(`Node ${manifest.engines.node.replace('>=', '')} or newer`)
    expect(stderr).not.toContain(' at ')
  })

  it.each(['22.18.0', '24.0.0'])('Node %s is accepted', (fit) => {
    expect(run(['--version'], preload(fit)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

/** This Node, which says that it is another one. */
function preload(version: string): string[] {
  const code = `Object.defineProperty(process.versions,'node',{value:'${version}'})`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}
