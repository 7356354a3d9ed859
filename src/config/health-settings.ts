import { z } from 'zod'

export const healthSettings = z
  .strictObject({
    graceHours: z
      .number()
      .min(0)
      .max(168)
      .default(3)
      .describe('Hours after its due time until an unfinished job is overdue.'),
    diskFreeGb: z
      .number()
      .min(0)
      .max(100_000)
      .default(5)
      .describe('Warn if a disk has less free space than this, in GB; 0: never.'),
  })
  .describe('When callsheet status reports a problem with an account.')

export type HealthSettings = z.output<typeof healthSettings>
