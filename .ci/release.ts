import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sbomOf } from './sbom.ts'

/** The files that a release changes, as text. */
export interface ReleaseFiles {
  'package.json': string
  'package-lock.json': string
  'CHANGELOG.md': string
  'packaging/compose.yaml': string
  'packaging/kubernetes.yaml': string
  'docs/install.md': string
}

/**
 * Returns the files of a version: its number, its repository, and the unreleased changes under it in the
 * changelog. Throws if it cannot be released.
 */
export function releaseOf(
  files: ReleaseFiles,
  { version, day, remote }: { version: string; day: string; remote: string },
): ReleaseFiles {
  const before = versionIn(files['package.json'])
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 1.2.0`)
  if (compare(version, before) <= 0) throw new Error(`${version} is not above ${before}`)
  const changelog = files['CHANGELOG.md']
  const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog)
  if (unreleased === null || !unreleased[1]?.includes('\n- '))
    throw new Error('CHANGELOG.md has no change under "Unreleased": describe what users notice')
  const [major] = version.split('.')
  if (unreleased[1].includes('### Attention') && before.startsWith(`${major}.`))
    throw new Error('a change under "Attention" needs a new major version')
  const numbered = (text: string, times: number): string => {
    let left = times
    return text.replaceAll(`"version": "${before}"`, (found) =>
      left-- > 0 ? `"version": "${version}"` : found,
    )
  }
  // The image and the package have the version in their names.
  const named = (text: string): string =>
    text
      .replaceAll(`callsheet:${before}`, `callsheet:${version}`)
      .replaceAll(`callsheet-${before}.tgz`, `callsheet-${version}.tgz`)
  return {
    'package.json': inRepository(numbered(files['package.json'], 1), remote),
    // The package itself has two lines in it, before those of all others.
    'package-lock.json': numbered(files['package-lock.json'], 2),
    'CHANGELOG.md': changelog.replace(
      /^## Unreleased\n/m,
      `## Unreleased\n\n## ${version} (${day})\n`,
    ),
    'packaging/compose.yaml': named(files['packaging/compose.yaml']),
    'packaging/kubernetes.yaml': named(files['packaging/kubernetes.yaml']),
    'docs/install.md': named(files['docs/install.md']),
  }
}

/** Sets where the package comes from, read from the address of the Git remote. */
function inRepository(packageJson: string, remote: string): string {
  const [, host, path] =
    /^(?:https:\/\/|git@|ssh:\/\/git@)([^/:]+)[/:](.+?)(?:\.git)?\n?$/.exec(remote) ?? []
  if (host === undefined || path === undefined)
    throw new Error(
      `the remote "origin" is ${remote.trim()}, and not the address of a public repository`,
    )
  const homepage = `https://${host}/${path}`
  const { name, version, description, license, ...rest } = JSON.parse(packageJson) as Record<
    string,
    unknown
  >
  const all = {
    name,
    version,
    description,
    license,
    homepage: `${homepage}#readme`,
    repository: { type: 'git', url: `git+${homepage}.git` },
    bugs: `${homepage}/issues`,
    ...rest,
  }
  return `${JSON.stringify(all, null, 2)}\n`
}

function versionIn(packageJson: string): string {
  return (JSON.parse(packageJson) as { version: string }).version
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((one) => one.split('.').map(Number))
  const at = (left ?? []).findIndex((number, place) => number !== right?.[place])
  return at < 0 ? 0 : (left?.[at] ?? 0) - (right?.[at] ?? 0)
}

/** The folder of the published files, which Git ignores. */
const FOLDER = 'release'

/** Writes the package, its bill of materials, the build file of the image, and the checksums of all three. */
function makeArtifacts(version: string): void {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', FOLDER])
  const bill = sbomOf(readFileSync('package-lock.json', 'utf8'), new Date().toISOString())
  writeFileSync(join(FOLDER, `callsheet-${version}.cdx.json`), bill)
  writeFileSync(join(FOLDER, 'Dockerfile'), readFileSync('packaging/Dockerfile'))
  const sums = readdirSync(FOLDER)
    .sort()
    .map((name) => {
      const digest = createHash('sha256').update(readFileSync(join(FOLDER, name)))
      return `${digest.digest('hex')}  ${name}\n`
    })
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''))
}

/**
 * `npm run release -- 1.2.0`: sets version and repository, saves a dump of this version's database for the
 * upgrade test, commits, tags, and writes the published files to `release/`. It pushes nothing.
 */
function main([version = '']: readonly string[]): void {
  const git = (...words: string[]): string => execFileSync('git', words, { encoding: 'utf8' })
  if (git('status', '--porcelain') !== '') throw new Error('commit or stash your changes first')
  const names = [
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    'packaging/compose.yaml',
    'packaging/kubernetes.yaml',
    'docs/install.md',
  ] as const
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(name, 'utf8')]))
  const day = new Date().toISOString().slice(0, 10)
  const remote = git('remote', 'get-url', 'origin')
  const released = releaseOf(files as unknown as ReleaseFiles, { version, day, remote })
  const env = { ...process.env, CALLSHEET_RELEASE: version }
  execFileSync('npm', ['run', '--silent', 'dump'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const name of names) writeFileSync(name, released[name])
  git('add', 'test/upgrade')
  git('commit', '--quiet', '--all', '--message', `Release ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `Callsheet ${version}`)
  makeArtifacts(version)
  process.stdout.write(
    `Committed and tagged v${version}. To publish: push main and the tag, and upload ${FOLDER}/.\n`,
  )
}

if (import.meta.main)
  try {
    main(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`release: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
