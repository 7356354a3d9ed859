import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './source-files.ts'

/** `llms.txt` (llmstxt.org): what Callsheet is, and its pages by title, for programs that read them. */
export function printLlms(): string {
  const [, about = ''] = read('README.md').split('\n\n')
  const pages = (folder: string): string[] =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => join(folder, name))
  const section = (title: string, paths: readonly string[]): string =>
    `## ${title}\n\n${paths.map((path) => `- [${titleOf(path)}](${path})`).join('\n')}`
  const sections = [
    section('Start', ['README.md', 'docs/tutorial.md', 'config.example.yaml']),
    section('Documentation', pages('docs')),
    section('Contributing', ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'STYLE.md']),
    section('Internals', pages('docs/internals')),
  ]
  return `# Callsheet\n\n> ${about.replaceAll('\n', ' ')}\n\n${sections.join('\n\n')}\n`
}

function titleOf(path: string): string {
  const [, title = path] = (path.endsWith('.md') && /^# (.+)$/m.exec(read(path))) || []
  return title
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

if (import.meta.main) process.stdout.write(printLlms())
