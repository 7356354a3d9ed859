import { z } from 'zod'

/** The report's settings. */
export const inventorySettings = z.object({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'three capital letters, as EUR')
    .default('EUR')
    .describe('The currency of the prices.'),
  prices: z
    .record(z.string().min(1), z.record(z.string().min(1), z.number().min(0)))
    .default({})
    .describe('What a number costs a month, by country and type: {NL: {Toll: 1.5}}.'),
  quarantineDays: z
    .int()
    .min(0)
    .max(3_650)
    .default(0)
    .describe('For how many days a number that nobody has any more is left alone.'),
})

export type InventorySettings = z.infer<typeof inventorySettings>
