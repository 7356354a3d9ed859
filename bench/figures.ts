/** One line of the bench's table. */
export interface Figure {
  what: string
  measured: string
  /** What it is measured against, taken in the same run. */
  beside?: string
  target: string
  met: boolean
}

export function printFigures(figures: readonly Figure[]): void {
  const lines = figures.map(({ what, measured, beside = '', target, met }) => [
    what,
    measured,
    beside,
    target,
    met ? 'met' : 'MISSED',
  ])
  const table = [['figure', 'measured', 'beside it', 'target', ''], ...lines]
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...table.map((line) => line[at]?.length ?? 0)),
  )
  for (const line of table)
    console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
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

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')} rows/s`
}
