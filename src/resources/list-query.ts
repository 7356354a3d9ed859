import { z } from 'zod'

/** The paging fields in the query of a token-paged list; `maximum` is the largest page size. */
export const listQuery = (maximum: number) => ({
  page_size: z.number().int().min(1).max(maximum).optional(),
  next_page_token: z.string().min(1).optional(),
})

/** The paging fields in the answer of a token-paged list. Operations differ in which of them they return. */
export const listEnvelope = {
  next_page_token: z.string().nullish(),
  page_size: z.number().int().nullish(),
  total_records: z.number().int().nullish(),
}
