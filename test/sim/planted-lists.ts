import type { PlantedBug } from './planted-bug.ts'

/** Bugs of how a list is read to its end. */
export const PLANTED_LISTS: Readonly<Record<string, PlantedBug>> = {
  'early-end-is-end': {
    what: "an end before the service's own total is believed",
    file: 'src/sync/read/list-end.ts',
    find: 'const short = total !== undefined && different < total',
    replace: 'const short = total !== undefined && different < 0',
    shownBy: { seed: 20, job: 'whiteboard-archives' },
  },
  'repeats-not-counted': {
    what: 'a row that comes twice counts for the one that it came in place of',
    file: 'src/sync/read/list-end.ts',
    find: 'return received - repeats - (repeats > 0 ? quarantined : 0)',
    replace: 'return received - 0 * (repeats + quarantined)',
    shownBy: { seed: 1, job: 'users', besides: { readings: { listOrder: 'moves' } } },
  },
  'moved-list-is-whole': {
    what: 'a list without a total is believed, though it showed a row twice',
    file: 'src/sync/read/list-end.ts',
    find: '(short || (paged && different !== total))',
    replace: '(short || (paged && different < 0))',
    shownBy: {
      seed: 5,
      job: 'session-reports',
      // Whatever else strikes starts lists again, and moves the pass that shows it.
      besides: {
        rates: {},
        mishaps: [],
        edits: [],
        readings: { listOrder: 'moves', totals: 'page' },
      },
    },
  },
  'unusable-ends-judging': {
    further: true,
    what: 'one record that cannot be used keeps all that is missing from being seen',
    file: 'src/sync/deletions/missing-rows.ts',
    find: 'readings.every(isComplete) ? group.owned : undefined',
    replace: 'readings.every((one) => isComplete(one) && isUsable(one)) ? group.owned : undefined',
    shownBy: { seed: 5, besides: { readings: { unusableRecords: 'null' } } },
  },
  'empty-page-is-end': {
    what: 'an empty page is taken for the end of the list',
    file: 'src/sync/read/page-chain.ts',
    find: 'if (next === undefined) return undefined\n    refuseLoop',
    replace: 'if (next === undefined || page.records.count === 0) return undefined\n    refuseLoop',
    shownBy: { seed: 1, job: 'session-reports' },
  },
  'expired-token-is-end': {
    what: 'a page token that is refused is taken for the end of the list',
    file: 'src/sync/read/read-list.ts',
    find: 'if (error instanceof PageTokenError) return { reading, hint, again: error }',
    replace: 'if (error instanceof PageTokenError) return { reading, hint }',
    shownBy: { seed: 7 },
  },
  'loop-is-end': {
    what: 'a page token that comes a second time is taken for the end',
    file: 'src/sync/read/page-chain.ts',
    find: 'if (next === undefined) return undefined\n    refuseLoop',
    replace: 'if (next === undefined || tokens.has(nameOf(next))) return undefined\n    refuseLoop',
    shownBy: { seed: 23, job: 'session-reports' },
  },
}
