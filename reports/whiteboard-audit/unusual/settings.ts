import { z } from 'zod'
import { commonPattern } from '../../shared/common-pattern.ts'

const hour = (which: string) =>
  z.int().min(0).max(24).describe(`The hour at which the night ${which}, 0 to 24.`)

/** What the configuration says under `reports.settings.whiteboard-audit`. */
export const auditSettings = z.object({
  baseDays: z
    .int()
    .min(56)
    .max(730)
    .default(120)
    .describe('From how many days before the period it is learned what is usual.'),
  nightHours: z
    .strictObject({ from: hour('begins'), to: hour('ends') })
    .refine(({ from, to }) => from % 24 !== to % 24, { error: 'a night that ends when it begins' })
    .nullable()
    .default(null)
    .describe('The hours of the night, in the report’s zone; null: learned from the account.'),
  deletions: commonPattern()
    .default('delete|remove|erase|clear|trash')
    .describe(
      'A regular expression that the types of activities match by which something is deleted.',
    ),
})

export type UnusualSettings = z.infer<typeof auditSettings>
