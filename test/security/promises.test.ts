import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8')
const list = readFileSync(join(import.meta.dirname, 'promises.md'), 'utf8')
const chapters = list.split(/^## /m).slice(1)
const named = [...list.matchAll(/^- `(test\/[\w/.-]+)`: "([^"]+)"$/gm)].map(
  ([, file = '', title = '']) => ({ file, title }),
)

describe('the list of tests behind docs/security.md', () => {
  it('has tests for every promise, and for nothing else', () => {
    const promises = page.split(/^### /m).slice(1).map(titleOf)
    expect(promises.length).toBeGreaterThan(15)
    expect(chapters.map(titleOf)).toEqual(promises)
    expect(chapters.filter((chapter) => !/^- `test\//m.test(chapter)).map(titleOf)).toEqual([])
    // A line that this test could not read would be a promise that nobody checks.
    expect(named.length).toBe(list.match(/^- /gm)?.length)
  })

  it('names only existing tests', () => {
    expect(named.length).toBeGreaterThan(50)
    const missing = named.filter(
      ({ file, title }) => !existsSync(join(root, file)) || !titlesOf(file).includes(title),
    )
    expect(missing).toEqual([])
  })

  it('names every test file of this folder', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'))
    const listed = new Set(named.map(({ file }) => file))
    const forgotten = files.filter((name) => !listed.has(`test/security/${name}`))
    expect(forgotten).toEqual(['promises.test.ts'])
  })
})

function titleOf(chapter: string): string | undefined {
  return chapter.split('\n')[0]
}

/** The file without escapes inside quotes, so that a title is found however it is laid out. */
function titlesOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'")
}
