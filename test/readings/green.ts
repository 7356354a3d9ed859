import { EACH_READING } from '../../sandbox/readings/readings.ts'
import type { Factors, Way } from './covering.ts'

/** The ways under which a sync is green, by their reading. */
export const GREEN: Factors = Object.fromEntries(
  EACH_READING.map(([name, { variants }]) => [
    name,
    Object.entries(variants).flatMap(([variant, { told }]) => (told === undefined ? variant : [])),
  ]),
)

/** Readings of more ways than this are not paired on a push: two of three ways take nine syncs. */
export const FEW = 2

const OWN_WORDS: readonly Way[] = ['text', 'nested', 'wordless'].map((way) => ['errorBody', way])

/** Ways of which no client could know, or tell one from the other: where they meet, a run is rightly red. */
export const APART: readonly (readonly [readonly Way[], readonly Way[]])[] = [
  // Nothing says that a list has other pages.
  [[['envelope', 'bare']], [['listPages', 'numbers']]],
  // Nothing says which status a record has.
  [
    [
      ['statusFilter', 'unsaid'],
      ['statusFilter', 'unheeded'],
    ],
    [
      ['moreStatuses', 'all'],
      ['moreStatuses', 'more'],
    ],
  ],
  // What comes twice may be twins, or may have moved.
  [
    [['twins', 'equal']],
    [
      ['listOrder', 'moves'],
      ['paging', 'live-offset'],
      ['listPages', 'numbers'],
      ['totals', 'page'],
    ],
  ],
  // What is refused in other words is not understood.
  [
    OWN_WORDS,
    [
      ['trunkProduct', 'required'],
      ['activityBounds', 'refused'],
      ['pageSizeAbove', 'refused'],
    ],
  ],
]
