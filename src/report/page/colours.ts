import type { Chart } from '../../core/define/chart.ts'
import { HEADER, INK, MUTED, RED, RULE, SERIES, TINTS, TONES } from '../files/palette.ts'

/** The palette as CSS variables. */
export const COLOURS = variables({
  page: 'FFFFFF',
  ink: INK,
  muted: '5B6472',
  faint: MUTED,
  rule: RULE,
  axis: '9AA5B1',
  head: HEADER,
  bar: HEADER,
  link: '2563A8',
  hover: 'F8FAFC',
  field: 'FFFFFF',
  'up-good': '17633F',
  'up-bad': 'A61B0F',
  ...pairs(TINTS),
  ...named('mark', TONES),
  ...named('series', SERIES),
  share: RED,
})

/** Returns the CSS variable of a series' color, which `COLOURS` defines. */
export function seriesVariable(series: Chart['series'][number], index: number): string {
  return series.tone === undefined
    ? `var(--series-${index % SERIES.length})`
    : `var(--mark-${series.tone})`
}

function variables({ share = '', ...colours }: Record<string, string>): string {
  const lines = Object.entries(colours).map(([name, colour]) => `--${name}:#${colour}`)
  // Red, green and blue as numbers; each use of the variable adds its own opacity.
  const parts = [0, 2, 4].map((at) => Number.parseInt(share.slice(at, at + 2), 16))
  return [...lines, `--share:${parts.join(',')}`].join(';')
}

function pairs(tints: typeof TINTS): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tints).flatMap(([name, { fill, text }]) => [
      [name, fill],
      [`${name}-ink`, text],
    ]),
  )
}

function named(kind: string, colours: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(colours).map(([name, colour]) => [`${kind}-${name}`, String(colour)]),
  )
}
