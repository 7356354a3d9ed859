import { z } from 'zod'
import { currency } from '../shared/currency.ts'
import { inactiveDays } from '../shared/inactive-people.ts'
import { numberPrices } from '../shared/number-price.ts'

export const inventorySettings = z.object({
  currency: currency(),
  prices: numberPrices(),
  inactiveDays: inactiveDays(),
  quarantineDays: z
    .int()
    .min(0)
    .max(3_650)
    .default(0)
    .describe('How many days after its last assignment a number counts as in quarantine.'),
})

export type InventorySettings = z.infer<typeof inventorySettings>
