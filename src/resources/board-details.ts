import type { Sync } from '../core/define/stream.ts'
import { whiteboards } from './whiteboards.ts'

/**
 * A board that is gone, and one that is there and shut to us: neither is a fault of the others' reading. The
 * documents do not tell the codes of these calls, so any 403 is the board's own (111804, 34009).
 */
export const boardRefusals = {
  deleted: [
    { status: 404, code: '34007' },
    { status: 404, code: '34000' },
  ],
  withheld: [{ status: 403 }],
} as const

/** Sharing may change without a word in `modified_date`, so the share setting counts as a version too. */
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
