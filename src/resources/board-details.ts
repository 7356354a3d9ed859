import type { Sync } from '../core/define/stream.ts'
import { whiteboards } from './whiteboards.ts'

/**
 * Answers that concern one board, which is deleted or not shared with us. Other boards are still read. The
 * documents list no codes for a 403 of these calls, so a 403 with any code counts (e.g. 34009 or 111804).
 */
export const boardRefusals = {
  deleted: [
    { status: 404, code: '34007' },
    { status: 404, code: '34000' },
  ],
  withheld: [{ status: 403 }],
} as const

/** `versions`: the board's columns that show a change. Sharing may leave `modified_date` unchanged. */
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
