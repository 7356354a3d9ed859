import { writeFile } from 'node:fs/promises'
import type { Block, ReportDocument, Section } from '../../core/declare/report.ts'
import { writeInPlace } from '../file-in-place.ts'
import { escapeHtml } from './escape-html.ts'
import { figuresHtml, noteHtml, tableHtml } from './html-blocks.ts'
import { STYLE } from './html-style.ts'
import { svgChart } from './svg-chart.ts'

/** Writes the document as one page that needs nothing else: no script, no font, no request. */
export async function renderHtml(document: ReportDocument, path: string): Promise<void> {
  const page = await htmlPage(document)
  await writeInPlace(path, (temporary) => writeFile(temporary, page, { mode: 0o600 }))
}

export async function htmlPage(document: ReportDocument): Promise<string> {
  const shown = document.sections.filter(({ detail }) => detail !== true)
  const sections: string[] = []
  for (const [index, section] of shown.entries()) sections.push(await sectionHtml(section, index))
  const title = escapeHtml(document.title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="generator" content="Callsheet">
<title>${title} – ${escapeHtml(document.subtitle)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${title}</h1><p>${escapeHtml(document.subtitle)}</p>${contents(shown)}</header>
<main>
${sections.join('\n')}
</main>
${leftOut(document)}
</body>
</html>
`
}

function contents(sections: readonly Section[]): string {
  const links = sections.map(
    ({ title }, index) => `<li><a href="#s${index + 1}">${escapeHtml(title)}</a></li>`,
  )
  return `<nav aria-label="Contents"><ul>${links.join('')}</ul></nav>`
}

async function sectionHtml(section: Section, index: number): Promise<string> {
  const blocks: string[] = []
  for (const block of section.blocks) blocks.push(await blockHtml(block, section))
  return (
    `<section id="s${index + 1}" aria-labelledby="h${index + 1}">` +
    `<h2 id="h${index + 1}">${escapeHtml(section.title)}</h2>\n` +
    `<div class="blocks">${blocks.join('\n')}</div></section>`
  )
}

async function blockHtml(block: Block, section: Section): Promise<string> {
  switch (block.kind) {
    case 'note':
      return noteHtml(block)
    case 'figures':
      return figuresHtml(block)
    case 'table':
      return tableHtml(block, section)
    case 'chart':
    default:
      return chartHtml(block)
  }
}

function chartHtml(block: Extract<Block, { kind: 'chart' }>): string {
  const heading = `<figcaption>${escapeHtml(block.title)}</figcaption>`
  return (
    `<figure class="${block.width ?? 'full'}">${heading}` +
    `<div class="scroll">${svgChart(block)}</div></figure>`
  )
}

function leftOut({ sections }: ReportDocument): string {
  const details = sections.filter(({ detail }) => detail === true)
  if (details.length === 0) return ''
  const names = details.map(({ title }) => escapeHtml(title)).join(', ')
  return `<footer><p>In the workbook only: ${names}.</p></footer>`
}
