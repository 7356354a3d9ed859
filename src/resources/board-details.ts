import type { Sync } from '../core/define/stream.ts'
import { whiteboards } from './whiteboards.ts'

/**
 * Answers for a deleted board, and for one that we may not read, so that other boards are read all the same.
 * The documents list no 403 codes for these calls, so any 403 concerns only this board (111804, 34009).
 */
export const boardRefusals = {
  deleted: [
    { status: 404, code: '34007' },
    { status: 404, code: '34000' },
  ],
  withheld: [{ status: 403 }],
} as const

/** `versions`: columns that show a change. `modified_date` is not enough, since sharing may not change it. */
export const perBoard = (versions: readonly string[]): Sync => ({
  kind: 'fan-out',
  parent: whiteboards,
  order: 'created_date',
  request: ([id = '']) => ({
    slice: `whiteboard=${id}`,
    arguments: { path: { whiteboardId: id } },
    filter: {},
  }),
  again: { versions, maxAgeDays: 7 },
})
