import { z } from 'zod'

/** What the inventory takes from the configuration. */
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
  growthDays: z
    .int()
    .min(1)
    .max(730)
    .default(90)
    .describe('From how many days the growth is taken that says when free numbers run out.'),
  portingDays: z
    .int()
    .min(1)
    .max(365)
    .default(30)
    .describe('After how many days an order of ported numbers is overdue, if it names no date.'),
  nearCapacity: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe('From which share of its capacity on an SMS consent policy is nearly full.'),
})

export type InventorySettings = z.infer<typeof inventorySettings>
