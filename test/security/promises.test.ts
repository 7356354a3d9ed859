import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8')
const named = [...page.matchAll(/^- `(test\/[\w/.-]+)`: "([^"]+)"$/gm)].map(
  ([, file = '', title = '']) => ({ file, title }),
)

describe('docs/security.md', () => {
  it('names a test for every promise', () => {
    const chapters = page.split(/^### /m).slice(1)
    expect(chapters.length).toBeGreaterThan(15)
    const without = chapters.filter((chapter) => !/^- `test\//m.test(chapter))
    expect(without.map((chapter) => chapter.split('\n')[0])).toEqual([])
    // A line that this test could not read would be a promise that nobody checks.
    expect(named.length).toBe(page.match(/^- /gm)?.length)
  })

  it('names only tests that there are', () => {
    expect(named.length).toBeGreaterThan(50)
    const missing = named.filter(
      ({ file, title }) => !existsSync(join(root, file)) || !titlesOf(file).includes(title),
    )
    expect(missing).toEqual([])
  })

  it('leaves out none of the files beside this one', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'))
    const held = new Set(named.map(({ file }) => file))
    const forgotten = files.filter((name) => !held.has(`test/security/${name}`))
    expect(forgotten).toEqual(['promises.test.ts'])
  })
})

/** The file without what ends a line inside a call, so that a title is found however it is laid out. */
function titlesOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'")
}
