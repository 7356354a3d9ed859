import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { BLOCKS, PAGES, SPANS } from './pages.ts'

/** What each language of a block is for. A test would not find a block in another language, or in none. */
const LANGUAGES = new Set(
  ['sh', 'console', 'yaml', 'json', 'sql', 'ts', 'diff', 'text', 'promql', 'mermaid'].concat(
    // A word behind the language names a test of its own, or another program.
    ['sql roles', 'sql duckdb', 'yaml prometheus', 'yaml dbt'],
  ),
)

describe('the docs', () => {
  it('link to pages and headings that exist', () => {
    const links = PAGES.flatMap(({ page, text }) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
    ).filter(({ link }) => !/^[a-z]+:/.test(link))
    expect(links.length).toBeGreaterThan(80)
    const broken = links.filter(({ page, link }) => {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : normalize(join(dirname(page), path))
      if (!existsSync(join(ROOT, target))) return true
      return anchor !== undefined && !anchorsOf(target).has(anchor)
    })
    expect(broken).toEqual([])
  })

  it('name only files that exist', () => {
    const named = SPANS.filter(({ span }) =>
      /^[\w.-]+(?:\/[\w.-]+)+\.(?:ts|md|sql|json)$/.test(span),
    )
    expect(named.length).toBeGreaterThan(40)
    const missing = named.filter(
      // The guide for contributors adds a resource of lockers.
      ({ span }) =>
        !/\blockers\b|_lockers/.test(span) &&
        !['', 'src'].some((root) => existsSync(join(ROOT, root, span))),
    )
    expect(missing).toEqual([])
  })

  it('name the language of each code block', () => {
    expect(BLOCKS.length).toBeGreaterThan(60)
    const unknown = BLOCKS.filter(({ language }) => !LANGUAGES.has(language))
    expect(unknown.map(({ page, line, language }) => ({ page, line, language }))).toEqual([])
  })

  it('contain only valid JSON', () => {
    const blocks = BLOCKS.filter(({ language }) => language === 'json')
    expect(blocks.length).toBeGreaterThan(2)
    for (const { text } of blocks) expect(() => JSON.parse(text) as unknown).not.toThrow()
  })
})

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}
