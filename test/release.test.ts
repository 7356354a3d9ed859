import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { releaseOf } from '../.ci/release.ts'

const files = (changes: string) => ({
  'package.json': '{\n  "name": "callsheet",\n  "version": "0.1.0"\n}\n',
  'package-lock.json':
    '{ "version": "0.1.0", "packages": { "": { "version": "0.1.0" }, "x": { "version": "0.1.0" } } }',
  'CHANGELOG.md': `# Changelog\n\n## Unreleased\n${changes}\n## 0.1.0 (2026-08-20)\n\n- The first one.\n`,
  'packaging/compose.yaml': 'image: callsheet:0.1.0\n',
  'docs/install.md': 'npm install ./callsheet-0.1.0.tgz\n',
})
const NEWS = '\n### Attention\n- Something to look at.\n'

it('names the version in all its files, and dates what was unreleased', () => {
  const released = releaseOf(files(NEWS), '0.2.0', '2026-11-25')
  expect(released['package.json']).toContain('"version": "0.2.0"')
  expect(released['package-lock.json']).toBe(
    '{ "version": "0.2.0", "packages": { "": { "version": "0.2.0" }, "x": { "version": "0.1.0" } } }',
  )
  expect(released['CHANGELOG.md']).toContain(
    '## Unreleased\n\n## 0.2.0 (2026-11-25)\n\n### Attention\n- Something to look at.\n\n## 0.1.0',
  )
  expect(released['packaging/compose.yaml']).toBe('image: callsheet:0.2.0\n')
  expect(released['docs/install.md']).toBe('npm install ./callsheet-0.2.0.tgz\n')
})

it.each([
  ['an older version', NEWS, '0.0.9', 'is not above 0.1.0'],
  ['the same version', NEWS, '0.1.0', 'is not above 0.1.0'],
  ['no version', NEWS, 'next', 'is no version'],
  ['a changelog without news', '', '0.2.0', 'nothing under "Unreleased"'],
  ['a small step for what needs attention', NEWS, '0.1.1', 'raises the second number'],
])('refuses %s', (_name, news, version, told) => {
  expect(() => releaseOf(files(news), version, '2026-11-25')).toThrow(told)
})

const folder = mkdtempSync(join(tmpdir(), 'callsheet-release-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('commits and tags, and leaves a tree with changes alone', () => {
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
  for (const [name, text] of Object.entries(files(NEWS))) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  expect(release('0.2.0')).toMatchObject({ status: 1 })
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin')
  expect(release('0.2.0')).toMatchObject({ status: 0, stderr: '' })
  expect(git('tag')).toBe('v0.2.0\n')
  expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0\n')
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toContain('0.2.0')
  expect(git('status', '--porcelain')).toBe('')
})
