import { z } from 'zod'
import { currency } from '../shared/currency.ts'
import { inactiveDays } from '../shared/inactive-people.ts'
import { numberPrices } from '../shared/number-price.ts'

/** The report's settings; the currency and the prices of numbers are those of the number inventory. */
export const accessSettings = z.object({
  inactiveDays: inactiveDays(),
  licensePrices: z
    .record(z.string().regex(/^\d+$/, 'the number of a user type, e.g. 2'), z.number().min(0))
    .default({})
    .describe('The monthly price of a license, by user type: {1: 0, 2: 14}. 0: no license.'),
  currency: currency(),
  prices: numberPrices(),
})

export type AccessSettings = z.infer<typeof accessSettings>
