import { z } from 'zod'

/** The paging fields in the query of a token-paged list. The service reduces a page size above `maximum`. */
export const listQuery = (maximum: number) => ({
  page_size: z.number().int().min(1).max(maximum).optional(),
  next_page_token: z.string().min(1).optional(),
})

/** The paging fields in the answer of a token-paged list. Each operation returns only some of them. */
export const listEnvelope = {
  next_page_token: z.string().nullish(),
  page_size: z.number().int().nullish(),
  total_records: z.number().int().nullish(),
}
