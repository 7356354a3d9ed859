import type { Sync } from '../core/define/stream.ts'
import { whiteboards } from './whiteboards.ts'

/**
 * A deleted board, and one that we may not read: neither fails the other boards' reads. The documents list no
 * 403 codes for these calls, so any 403 concerns only this board (111804, 34009).
 */
export const boardRefusals = {
  deleted: [
    { status: 404, code: '34007' },
    { status: 404, code: '34000' },
  ],
  withheld: [{ status: 403 }],
} as const

/** Sharing may change without a new `modified_date`, so the share settings count as versions too. */
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
