import { z } from 'zod'

/** The query fields of every token-paged list; `maximum` is the page size that the service clamps to. */
export const listQuery = (maximum: number) => ({
  page_size: z.number().int().min(1).max(maximum).optional(),
  next_page_token: z.string().min(1).optional(),
})

/** The envelope fields of a token-paged list. All are optional: operations differ in which they return. */
export const listEnvelope = {
  next_page_token: z.string().nullish(),
  page_size: z.number().int().nullish(),
  total_records: z.number().int().nullish(),
}
