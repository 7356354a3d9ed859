import { z } from 'zod'
import { ambiguous, NEUTRAL_WORDS } from '../core/notifications/words.ts'

/** Maps words in the documents to the service's own. */
export const wordSettings = z
  .partialRecord(z.enum(['svc', ...NEUTRAL_WORDS]), z.string({ error: 'a word' }), {
    error: ({ code }) => (code === 'invalid_type' ? 'words below this name' : undefined),
  })
  .superRefine((settings, issues) => {
    const refuse = (key: string, message: string): void =>
      issues.addIssue({ code: 'custom', path: [key], message })
    for (const [key, own] of Object.entries(settings)) {
      const [form, due] = formOf(key)
      if (own !== undefined && !form.test(own)) refuse(key, due)
    }
    for (const { own, neutral } of ambiguous(settings))
      refuse(
        [...neutral, 'svcroom'].find((word) => Object.hasOwn(settings, word)) ?? 'svc',
        `another word than ${own}, which would stand for ${neutral.join(' and ')}`,
      )
  })
  .prefault({})
  .describe('Words that the service spells differently from its documents.')

function formOf(key: string): readonly [form: RegExp, due: string] {
  if (key === 'svc') return [/^[A-Za-z][A-Za-z0-9]{0,39}$/, 'letters and digits, at most 40']
  if (key.startsWith('x-')) return [/^[a-z0-9-]{1,60}$/, 'a header in lower case']
  return key.startsWith('svcroom')
    ? [/^[\w.]{1,100}$/, 'the name of an event: letters, digits, _ and dots']
    : [/^\w{1,60}$/, 'letters, digits and _, at most 60']
}
