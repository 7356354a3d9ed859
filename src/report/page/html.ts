import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Block, Figures, Note, ReportDocument, Section } from '../../core/define/report.ts'
import { formatCell, formatChange, visibleChange } from '../files/browser/format-cell.js'
import { inWords } from '../files/in-words.ts'
import { contentHash } from './content-hash.ts'
import { escapeHtml } from './escape-html.ts'
import { PAPER_STYLE, STYLE } from './html-style.ts'
import { inertJson, jsonElement } from './inert-json.ts'
import { sparkline, svgChart } from './svg-chart.ts'
import { LOOKS } from './table-cells.ts'
import { pageBudget, type RowBudget, tableHtml } from './table-html.ts'
import { pageScript } from './table-script.ts'

/**
 * Writes the document as one self-contained page, without fonts and requests. Its only script shows, sorts
 * and filters the tables; no other script can run.
 */
export async function renderHtml(document: ReportDocument, path: string): Promise<void> {
  await pipeline(htmlPieces(document), createWriteStream(path, { mode: 0o600 }))
}

/** Yields the page in pieces. Rows are read piece by piece too. */
export async function* htmlPieces(document: ReportDocument): AsyncGenerator<string> {
  const { sections } = inWords(document)
  const script = pageScript()
  yield `${headHtml(document, { policy: policy(script), style: STYLE })}${contents(sections)}
<main>
`
  const of: PageParts = { numbers: numbersOf(sections), budget: pageBudget(), medium: 'screen' }
  for (const section of sections) yield* sectionHtml(section, of)
  yield `</main>
${jsonElement(inertJson(LOOKS), 'looks')}
<script>${script}</script>
</body>
</html>
`
}

/**
 * Yields a page for paper: the summary, and what each part of the report shows. It has no script, because it
 * is printed by a program that nobody watches.
 */
export async function* summaryPieces(document: ReportDocument): AsyncGenerator<string> {
  const { sections } = inWords(document)
  const [summary, ...parts] = sections
  yield `${headHtml(document, { policy: policy(), style: `${STYLE}${PAPER_STYLE}` })}<main>
`
  const of: PageParts = { numbers: numbersOf(sections), budget: { bytes: 0 }, medium: 'paper' }
  if (summary !== undefined) yield* sectionHtml(summary, of)
  const items = parts.map(({ title, about = '' }, at) => {
    const shows = about === '' ? '' : `: ${escapeHtml(about)}`
    return `<li id="s${at + 2}"><b>${escapeHtml(title)}</b>${shows}</li>`
  })
  yield `<div class="parts"><h3>Parts of the full report</h3><ul>${items.join('')}</ul></div>
</main>
</body>
</html>
`
}

function headHtml(
  document: ReportDocument,
  { policy: allowed, style }: { policy: string; style: string },
): string {
  const title = escapeHtml(document.title)
  const subtitle = escapeHtml(document.subtitle)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${allowed}">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Callsheet">
<title>${title} – ${subtitle}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${title}</h1><p>${subtitle}</p></header>
`
}

function numbersOf(sections: readonly Section[]): Numbers {
  return new Map(sections.map(({ title }, at) => [title, at + 1]))
}

/** Allows inline styles and only the page's own script; nothing can be fetched or sent. */
function policy(script?: string): string {
  const own = script === undefined ? '' : `script-src '${contentHash(script)}'; `
  return `default-src 'none'; ${own}style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`
}

function contents(sections: readonly Section[]): string {
  const links = sections.map(
    ({ title }, index) => `<li><a href="#s${index + 1}">${escapeHtml(title)}</a></li>`,
  )
  return `<nav aria-label="Contents"><ul>${links.join('')}</ul></nav>`
}

/** The number of each section on the page, by its title. */
type Numbers = ReadonlyMap<string, number>

type Medium = 'screen' | 'paper'

/** What the sections of a page share. */
interface PageParts {
  numbers: Numbers
  budget: RowBudget
  medium: Medium
}

async function* sectionHtml(section: Section, parts: PageParts): AsyncGenerator<string> {
  const { numbers } = parts
  const number = numbers.get(section.title)
  yield `<section id="s${number}" aria-labelledby="h${number}">` +
    `<h2 id="h${number}">${escapeHtml(section.title)}</h2>\n` +
    (section.about === undefined ? '' : `<p class="about">${escapeHtml(section.about)}</p>\n`) +
    '<div class="blocks">'
  for (const block of section.blocks) {
    if (block.kind === 'note') yield noteHtml(block, numbers)
    else yield* blockHtml(block, section, parts)
    yield '\n'
  }
  yield '</div></section>\n'
}

async function* blockHtml(
  block: Exclude<Block, Note>,
  section: Section,
  { budget, medium }: PageParts,
): AsyncGenerator<string> {
  switch (block.kind) {
    case 'figures':
      yield figuresHtml(block)
      break
    case 'table':
      yield* tableHtml(block, section, budget)
      break
    case 'chart':
    default:
      yield chartHtml(block, medium)
  }
}

function chartHtml(block: Extract<Block, { kind: 'chart' }>, medium: Medium): string {
  const heading = `<figcaption>${escapeHtml(block.title)}</figcaption>`
  return (
    `<figure class="${block.width ?? 'full'}">${heading}` +
    `<div class="scroll" tabindex="0" role="group" aria-label="Chart: ${escapeHtml(block.title)}">` +
    `${svgChart(block, medium)}</div></figure>`
  )
}

function noteHtml({ text, tone, link = '' }: Note, numbers: Numbers): string {
  const number = numbers.get(link)
  const to = number === undefined ? '' : ` <a href="#s${number}">${escapeHtml(link)}</a>`
  const role = tone === 'bad' ? ' role="alert"' : ''
  return `<p class="note ${tone}"${role}>${escapeHtml(text)}${to}</p>`
}

function figuresHtml({ title, figures, beforeLabel = 'before' }: Figures): string {
  const plain = figures.every(({ before, format }) => before === undefined && format === 'text')
  const items = figures.map((figure) => {
    const { label, value, format, before, trend = [] } = figure
    const long = typeof value === 'string' && value.length > 14 ? ' class="long"' : ''
    const compared =
      before === undefined
        ? ''
        : `<dd class="before"><span class="${mood(figure)}">${formatChange(value, before, format)}</span> ` +
          `${escapeHtml(beforeLabel)}: ${escapeHtml(formatCell(before, format)) || '–'}</dd>`
    const shown = escapeHtml(formatCell(value, format)) || '–'
    const drawn = sparkline(trend)
    return `<div><dt>${escapeHtml(label)}</dt><dd${long}>${shown}</dd>${compared}${drawn}</div>`
  })
  const list = `<dl class="${plain ? 'facts' : 'figures'}">${items.join('')}</dl>`
  return `<div><h3>${escapeHtml(title)}</h3>${list}</div>`
}

function mood({ value, before, format, better }: Figures['figures'][number]): string {
  if (typeof value !== 'number' || typeof before !== 'number') return 'same'
  const change = visibleChange(value - before, format)
  if (change === 0 || better === undefined) return 'same'
  return change > 0 === (better === 'higher') ? 'up-good' : 'up-bad'
}
