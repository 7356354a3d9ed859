import type { Chart } from '../../core/define/chart.ts'
import { HEADER, INK, MUTED, RED, RULE, SERIES, TINTS, TONES } from '../files/palette.ts'

/** The palette for light screens and paper, as CSS variables. `DARK` is for dark screens. */
export const LIGHT = variables({
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

export const DARK = variables({
  page: '10161F',
  ink: 'E5E9F0',
  muted: 'A7B2C1',
  faint: 'A7B2C1',
  rule: '2C384A',
  axis: '5F6D80',
  head: 'A9CBF3',
  bar: '1F3A5F',
  link: '8BBCF0',
  hover: '1A2433',
  field: '161E2A',
  'up-good': '7FD6A8',
  'up-bad': 'FF9C8F',
  ...pairs({
    good: { fill: '133A2A', text: '97E3BB' },
    fair: { fill: '3D3213', text: 'F5D88A' },
    poor: { fill: '47290F', text: 'FFC795' },
    bad: { fill: '4B1D18', text: 'FFBCB2' },
    warning: { fill: '3D3213', text: 'F5D88A' },
    plain: { fill: '222D3D', text: 'D0D8E3' },
  }),
  ...named('mark', {
    good: '3FB982',
    fair: 'F2C14E',
    poor: 'EE8434',
    bad: 'EF6A5A',
    neutral: '8A95A3',
    accent: '5B9BE0',
  } satisfies typeof TONES),
  ...named('series', ['5B9BE0', '3DBDAE', 'A98BD8', 'E9A23B', '8A95A3', 'EC7088']),
  share: '96352A',
})

/** Returns the CSS variable of a series' color, which `LIGHT` and `DARK` define. */
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
