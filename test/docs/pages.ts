import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tidy/source-files.ts'

/** A fenced block of a page; one within a list is without the list's indentation. */
export interface Block {
  page: string
  /** The line of its fence, from 1. */
  line: number
  language: string
  text: string
}

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

/** The pages that users and contributors read, with the path of each. */
export const PAGES: readonly { page: string; text: string }[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...markdownIn('docs'),
  ...markdownIn('docs/internals'),
].map((page) => ({ page, text: readFileSync(join(ROOT, page), 'utf8') }))

export const BLOCKS: readonly Block[] = PAGES.flatMap(({ page, text }) =>
  [...text.matchAll(/^( *)```(.*)\n([^]*?)^\1```$/gm)].map(
    ({ index, 1: indent = '', 2: language = '', 3: body = '' }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  ),
)

/** What stands between backquotes in running text: names, commands and settings. */
export const SPANS: readonly { page: string; span: string }[] = PAGES.flatMap(({ page, text }) =>
  [...text.replaceAll(/^```.*\n[^]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => ({
    page,
    span: span.replaceAll(/\s+/g, ' '),
  })),
)

/** The keys of a document, and those of the objects in its lists. */
export const keysOf = (document: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(document).map(([key, value]) => [key, kindOf(value)]))

function kindOf(value: unknown): unknown {
  if (Array.isArray(value)) return kindOf(value[0])
  return typeof value === 'object' && value !== null ? keysOf(value) : typeof value
}
