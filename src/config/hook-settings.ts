import { z } from 'zod'
import { commandWords, webhookSecrets } from './alert-settings.ts'
import type { Catalog } from './fields.ts'
import { orNull, whole } from './fields.ts'

/** Commands and webhooks that follow the runs of jobs, or reports. */
export function hookSettings({ jobs, reports = [] }: Catalog) {
  return z
    .array(hook(namesOf(jobs), namesOf(reports)))
    .max(20)
    .prefault([])
    .describe('Commands and webhooks to start after runs and reports.')
}

function hook(jobs: readonly string[], reports: readonly string[]) {
  return z
    .strictObject({
      after: z.enum(['run', 'report']).describe('What starts the hook.'),
      jobs: z.array(z.enum(jobs)).default([]).describe('Only after runs of these jobs; []: all.'),
      reports: z.array(z.enum(reports)).default([]).describe('Only after these reports; []: all.'),
      command: orNull(commandWords(), 'A program and its arguments, run without a shell.'),
      webhook: orNull(z.strictObject(webhookSecrets), '{url, bearer}: post the facts as JSON.'),
      timeoutSeconds: whole(1, 86_400)
        .default(600)
        .describe('After this time, the try has failed, and the command is killed.'),
    })
    .refine(({ after, jobs: named }) => after === 'run' || named.length === 0, {
      path: ['jobs'],
      error: 'no jobs with after: report',
    })
    .refine(({ after, reports: named }) => after === 'report' || named.length === 0, {
      path: ['reports'],
      error: 'no reports with after: run',
    })
    .refine(({ command, webhook }) => (command === null) !== (webhook === null), {
      path: ['command'],
      error: 'either a command or a webhook',
    })
}

function namesOf(all: readonly { name: string }[]): string[] {
  return all.map(({ name }) => name)
}
