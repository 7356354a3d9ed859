import { z } from 'zod'
import { currency } from '../shared/currency.ts'

/** The report's settings. */
export const inventorySettings = z.object({
  currency: currency(),
  prices: z
    .record(z.string().min(1), z.record(z.string().min(1), z.number().min(0)))
    .default({})
    .describe('The monthly price of a number, by country and type: {NL: {Toll: 1.5}}.'),
  quarantineDays: z
    .int()
    .min(0)
    .max(3_650)
    .default(0)
    .describe('How many days after its last assignment a number counts as in quarantine.'),
})

export type InventorySettings = z.infer<typeof inventorySettings>
