import type { Operation } from '../../core/declare/operation.ts'

/** A count may come as its digits; what counts nothing, or something else than the list, is no total. */
export function totalOf({ paging }: Operation, told: unknown): number | undefined {
  if (paging?.style === 'token' && paging.total === 'other') return undefined
  const total = typeof told === 'string' && /^\d+$/.test(told) ? Number(told) : told
  return Number.isSafeInteger(total) && (total as number) >= 0 ? (total as number) : undefined
}
