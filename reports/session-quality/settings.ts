import { z } from 'zod'
import { commonPattern } from '../../src/core/values/common-pattern.ts'

const target = (what: string) =>
  z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe(`At most this share of the rated sessions may have bad ${what}, 0 to 1.`)

/** The settings under `reports.settings.session-quality`. */
export const qualitySettings = z.object({
  targets: z
    .strictObject({
      audio: target('audio'),
      video: target('video'),
      screenShare: target('screen share'),
    })
    .prefault({})
    .describe('What is aimed at; null: no target.'),
  keyGroups: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(60).describe('What the report calls the group.'),
        pattern: commonPattern().describe(
          'A regular expression that its session keys match, e.g. ^sales-.',
        ),
      }),
    )
    .max(20, { error: 'at most 20 groups' })
    .refine((groups) => new Set(groups.map(({ name }) => name)).size === groups.length, {
      error: 'each group has a name of its own',
    })
    .default([])
    .describe('Session keys that belong together; a key counts in the first that it matches.'),
})

export type QualitySettings = z.infer<typeof qualitySettings>
