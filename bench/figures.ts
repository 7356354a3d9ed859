/** One measure with its target. */
export interface Figure {
  what: string
  measured: string
  /** What it is measured against, taken in the same run. */
  beside?: string
  target: string
  met: boolean
}

/** What the terminal shows and a document can quote: a Markdown table. The first line is the header. */
export interface Table {
  title: string
  lines: readonly (readonly string[])[]
}

export function figureTable(name: string, figures: readonly Figure[]): Table {
  const lines = figures.map(({ what, measured, beside = '', target, met }) => [
    what,
    measured,
    beside,
    target,
    met ? 'met' : 'MISSED',
  ])
  return {
    title: `${name}: figures and targets`,
    lines: [['figure', 'measured', 'beside it', 'target', ''], ...lines],
  }
}

export function printTable({ title, lines }: Table): void {
  const [header = [], ...rest] = lines
  const widths = header.map((_, at) => Math.max(3, ...lines.map((line) => line[at]?.length ?? 0)))
  const printed = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  console.log(`\n### ${title}\n`)
  console.log(printed(header))
  console.log(printed(widths.map((width) => '-'.repeat(width))))
  for (const line of rest) console.log(printed(line))
}

/** At least `least` times what stands beside it. */
export function ratioFigure(
  what: string,
  { rate, beside, name }: { rate: number; beside: number; name: string },
  least: number,
): Figure {
  return {
    what,
    measured: `${(rate / beside).toFixed(2)} x ${name}`,
    beside: `${perSecond(rate)} to ${perSecond(beside)}`,
    target: `>= ${least}`,
    met: rate / beside >= least,
  }
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(bytes < 2 ** 20 ? 2 : 0)} MB`
}

export function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')} rows/s`
}
