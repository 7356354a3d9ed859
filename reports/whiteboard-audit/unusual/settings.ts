import { z } from 'zod'

const NIGHT = 'the hours of the night, e.g. 22-6'

/** The settings under `reports.settings.whiteboard-audit`. */
export const auditSettings = z.object({
  baseDays: z
    .int()
    .min(56)
    .max(730)
    .default(120)
    .describe('How many days before the period define what is usual.'),
  nightHours: z
    .string({ error: NIGHT })
    .regex(/^([01]?\d|2[0-4])-([01]?\d|2[0-4])$/, { error: NIGHT })
    .refine((hours) => nightOf(hours).from % 24 !== nightOf(hours).to % 24, {
      error: 'a night that ends when it begins',
    })
    .nullable()
    .default(null)
    .describe(
      'The hours of the night, e.g. 22-6, in the report’s zone; null: learned from the account.',
    ),
})

export type UnusualSettings = z.infer<typeof auditSettings>

export function nightOf(hours: string): { from: number; to: number } {
  const [from, to] = hours.split('-').map(Number)
  return { from: from ?? 0, to: to ?? 0 }
}
