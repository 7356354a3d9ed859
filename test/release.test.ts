import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { releaseOf } from '../.ci/release.ts'

/** What makes the dump in the repository needs all of it. */
const DUMP = JSON.stringify(
  `mkdir -p test/upgrade && echo made > "test/upgrade/$CALLSHEET_RELEASE.jsonl.gz"`,
)
const SCRIPTS = `"scripts": { "dump": ${DUMP} }`
const files = (changes: string) => ({
  'package.json': `{\n  "name": "callsheet",\n  "version": "1.1.0",\n  ${SCRIPTS}\n}\n`,
  'package-lock.json':
    '{ "version": "1.1.0", "packages": {"": {"name": "a", "version": "1.1.0"}, "x": {"version": "1.1.0"}} }',
  'CHANGELOG.md': `# Changelog\n\n## Unreleased\n${changes}\n## 1.1.0 (2026-08-20)\n\n- The first one.\n`,
  'packaging/compose.yaml': 'image: callsheet:1.1.0\n',
  'packaging/kubernetes.yaml': 'image: callsheet:1.1.0\n',
  'docs/install.md': 'npm install ./callsheet-1.1.0.tgz\n',
})
const REMOTE = 'git@git.example.org:team/callsheet.git\n'
const NEWS = '\n### Added\n- Something to look at.\n'
const ATTENTION = '\n### Attention\n- Something to look at.\n'

it('the release script sets version, date and repository in all files of a release', () => {
  const released = releaseOf(files(NEWS), { version: '1.2.0', day: '2026-11-25', remote: REMOTE })
  expect(released['package.json']).toContain('"version": "1.2.0"')
  expect(JSON.parse(released['package.json'])).toMatchObject({
    homepage: 'https://git.example.org/team/callsheet#readme',
    repository: { type: 'git', url: 'git+https://git.example.org/team/callsheet.git' },
    bugs: 'https://git.example.org/team/callsheet/issues',
  })
  expect(released['package-lock.json']).toBe(
    '{ "version": "1.2.0", "packages": {"": {"name": "a", "version": "1.2.0"}, "x": {"version": "1.1.0"}} }',
  )
  expect(released['CHANGELOG.md']).toContain(
    '## Unreleased\n\n## 1.2.0 (2026-11-25)\n\n### Added\n- Something to look at.\n\n## 1.1.0',
  )
  expect(released['packaging/compose.yaml']).toBe('image: callsheet:1.2.0\n')
  expect(released['packaging/kubernetes.yaml']).toBe('image: callsheet:1.2.0\n')
  expect(released['docs/install.md']).toBe('npm install ./callsheet-1.2.0.tgz\n')
})

it.each([
  ['an older version', NEWS, '1.0.9', 'is not above 1.1.0'],
  ['the same version', NEWS, '1.1.0', 'is not above 1.1.0'],
  ['no version', NEWS, 'next', 'is not a version'],
  ['a changelog without news', '', '1.2.0', 'no change under "Unreleased"'],
  ['a minor version for a change that needs attention', ATTENTION, '1.2.0', 'new major version'],
])('the release script refuses %s', (_name, news, version, told) => {
  const release = { version, day: '2026-11-25', remote: REMOTE }
  expect(() => releaseOf(files(news), release)).toThrow(told)
})

const folder = mkdtempSync(join(tmpdir(), 'callsheet-release-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('the release script commits and tags, and refuses a tree with uncommitted changes', () => {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
  const release = (version: string) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../.ci/release.ts'), version], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 'A',
        GIT_AUTHOR_EMAIL: 'a@example.org',
        GIT_COMMITTER_NAME: 'A',
        GIT_COMMITTER_EMAIL: 'a@example.org',
      },
    })
  git('init', '--quiet')
  mkdirSync(join(folder, 'packaging'))
  writeFileSync(join(folder, 'packaging', 'Dockerfile'), 'FROM scratch\n')
  writeFileSync(join(folder, '.gitignore'), '/release/\n')
  for (const [name, text] of Object.entries(files(NEWS))) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  expect(release('1.2.0')).toMatchObject({ status: 1 })
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
  git('remote', 'add', 'origin', folder)
  const stderr = expect.stringContaining('not the address of a public repository')
  expect(release('1.2.0')).toMatchObject({ status: 1, stderr })
  git('remote', 'set-url', 'origin', 'https://git.example.org/team/callsheet')
  expect(release('1.2.0')).toMatchObject({ status: 0, stderr: '' })
  expect(git('tag')).toBe('v1.2.0\n')
  expect(git('log', '-1', '--format=%s')).toBe('Release 1.2.0\n')
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toContain('1.2.0')
  expect(git('status', '--porcelain')).toBe('')
  expect(git('ls-files', 'test')).toBe('test/upgrade/1.2.0.jsonl.gz\n')
  const made = readdirSync(join(folder, 'release'))
  const artifacts = ['Dockerfile', 'callsheet-1.2.0.cdx.json', 'callsheet-1.2.0.tgz']
  expect(made).toEqual(['Dockerfile', 'SHA256SUMS', ...artifacts.slice(1)])
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
    cwd: join(folder, 'release'),
    encoding: 'utf8',
  })
  expect(checked).toBe(artifacts.map((name) => `${name}: OK\n`).join(''))
})
