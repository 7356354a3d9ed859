import { z } from 'zod'

export const healthSettings = z
  .strictObject({
    graceHours: z
      .number()
      .min(0)
      .max(168)
      .default(3)
      .describe('A job is overdue when it is not done so many hours after it was due.'),
    diskFreeGb: z
      .number()
      .min(0)
      .max(100_000)
      .default(5)
      .describe('A disk with less free space than this, in GB, is low; 0 is never low.'),
  })
  .describe('When callsheet status reports a problem with an account.')

export type HealthSettings = z.output<typeof healthSettings>
