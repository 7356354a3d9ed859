import type { Chart } from '../../src/core/define/chart.ts'
import type { Cell, Table, TableColumn } from '../../src/core/define/report.ts'
import { type Share, wilson } from '../shared/statistics.ts'
import { intervalText } from '../shared/words.ts'
import { type Counts, numberOf, shareOf } from './facts.ts'
import { KINDS, QUALITIES, type QualityKind } from './source.ts'

/** Counts bad sessions among the rated ones. */
export function badOf(counts: Counts, kind: QualityKind['kind']): Share {
  const of = QUALITIES.reduce((sum, quality) => sum + numberOf(counts, `${kind}_${quality}`), 0)
  return { of, hits: numberOf(counts, `${kind}_bad`) }
}

/** Columns for each kind: rated sessions, the bad share and its interval. */
export const kindColumns: readonly TableColumn[] = KINDS.flatMap(
  ({ kind, title }): TableColumn[] => [
    { name: `${kind}_rated`, title: `${title} rated`, format: 'integer' },
    { name: `${kind}_bad_share`, title: `${title} bad`, format: 'percent', tint: 'bad-share' },
    { name: `${kind}_interval`, title: `${title} bad, 95 %`, format: 'text' },
  ],
)

/** Returns the cells for `kindColumns`. */
export function kindShares(
  shareOfKind: (kind: QualityKind['kind']) => Share,
): Record<string, Cell> {
  return Object.fromEntries(
    KINDS.flatMap(({ kind }) => {
      const share = shareOfKind(kind)
      return [
        [`${kind}_rated`, share.of],
        [`${kind}_bad_share`, shareOf(share.hits, share.of)],
        [`${kind}_interval`, share.of === 0 ? null : intervalText(wilson(share))],
      ]
    }),
  )
}

/**
 * Makes one chart series of bad shares per kind. A share of few sessions has no value, because one bad
 * session would be a peak and the axis would flatten all others.
 */
export function badSeries<Item>(
  items: readonly Item[],
  shareOfKind: (item: Item, kind: QualityKind['kind']) => Share,
): Chart['series'] {
  return KINDS.map(({ kind, title }, at) => {
    const shares = items.map((item) => shareOfKind(item, kind))
    return {
      name: title,
      ...(at === 0 ? { tone: 'bad' as const } : {}),
      values: shares.map((share) => (isVague(share) ? null : shareOf(share.hits, share.of))),
    }
  })
}

/** Makes a table of shares, with a row for each of `lines` and a column for each of `columns`. */
export function shareMap<Line>(
  map: {
    title: string
    file?: string
    empty?: string
    /** The first column. */
    of: readonly [name: string, title: string]
    lines: readonly (readonly [name: string, line: Line])[]
    columns: readonly string[]
  },
  shareAt: (line: Line, column: string, at: number) => Share,
): Table {
  const { of, lines, columns, ...table } = map
  const shares = columns.map(
    (name): TableColumn => ({ name, title: name, format: 'percent', tint: 'bad-share' }),
  )
  return {
    kind: 'table',
    ...table,
    columns: [{ name: of[0], title: of[1], format: 'text' }, ...shares],
    rows: lines.map(([name, line]) => [
      name,
      ...columns.map((column, at) => shareCell(shareAt(line, column, at))),
    ]),
  }
}

/** Shows a share without its interval, or a text if there are too few sessions. */
function shareCell(share: Share): Cell {
  if (share.of === 0) return null
  return isVague(share) ? 'too few' : shareOf(share.hits, share.of)
}

/**
 * Whether a share has too few sessions to show, and these do not prove that it is bad. The width of its
 * interval must not decide: a share of zero has a narrow one, so bad weeks would be hidden beside good ones.
 */
export function isVague(share: Share): boolean {
  return share.of < LEAST_RATED && (wilson(share)?.low ?? 0) < CLEARLY_BAD
}

export const TOO_FEW_TEXT =
  'A cell says “too few” for fewer than 20 rated sessions, unless the 95 % interval of its share begins ' +
  'at 10 % or above.'

const LEAST_RATED = 20
/** A share of few sessions is certainly bad, and shown anyway, if its lower limit reaches this value. */
const CLEARLY_BAD = 0.1
