import type { z } from 'zod'
import { accountName } from '../../config/account-settings.ts'
import { identifier, serviceUrl } from '../../config/fields.ts'
import type { Finding } from '../doctor/findings.ts'
import { asCalled } from '../frame/called-as.ts'
import { SERVICE, type Setup } from './configuration.ts'
import type { Prompt } from './prompt.ts'

export type AppAnswers = Pick<
  Setup,
  'baseUrl' | 'authUrl' | 'accountId' | 'clientId' | 'clientSecret'
>

/** Checks that run before the next question. */
export interface Checks {
  credentials(given: AppAnswers): Promise<Finding[]>
  database(url: string): Promise<Finding[]>
}

/** Asks for an account and a database, and checks each answer before the next question. */
export async function askSetup(prompt: Prompt, checks: Checks): Promise<Setup> {
  const name = await prompt.text('Name of the account, which every row will have', {
    byDefault: 'main',
    check: problemOf(accountName),
  })
  const app = await untilGood(prompt, checks.credentials, (earlier) => askApp(prompt, earlier))
  prompt.say('\nVideo sessions and recordings need a key of their own.')
  const apiKey = await prompt.text('Video API key (empty: none)', {
    check: (key) => (key === '' ? undefined : problemOf(identifier())(key)),
  })
  const apiSecret = apiKey === '' ? '' : await prompt.secret('Video API secret')
  prompt.say('\nCallsheet needs Postgres 15 or newer. Without a URL, it starts an embedded one.')
  const databaseUrl = await untilGood(
    prompt,
    async (url) => (url === '' ? [] : await checks.database(url)),
    () => prompt.secret('Database URL (not shown; empty: embedded)', 'optional'),
  )
  return { name, ...app, apiKey, apiSecret, databaseUrl }
}

/** Asks for all that the token check uses. An earlier answer is the default, so that Enter keeps it. */
async function askApp(prompt: Prompt, earlier?: AppAnswers): Promise<AppAnswers> {
  const ask = (question: string, schema: z.ZodType, byDefault?: string) =>
    prompt.text(question, {
      check: problemOf(schema),
      ...(byDefault === undefined ? {} : { byDefault }),
    })
  const usual = earlier ?? SERVICE
  const baseUrl = await ask('API address, with its version (baseUrl)', serviceUrl(), usual.baseUrl)
  const authUrl = await ask(
    'Address of the authorization server (authUrl)',
    serviceUrl(),
    baseUrl === usual.baseUrl ? usual.authUrl : new URL(baseUrl).origin,
  )
  prompt.say(
    "\nThe next values are on the page of your server-to-server app. Secrets aren't shown.",
  )
  return {
    baseUrl,
    authUrl,
    accountId: await ask('Account ID', identifier(), earlier?.accountId),
    clientId: await ask('Client ID', identifier(), earlier?.clientId),
    clientSecret: await prompt.secret('Client secret'),
  }
}

/**
 * Asks again while the check fails. The person may continue anyway, because the service may be unavailable at
 * the moment.
 */
async function untilGood<T>(
  prompt: Prompt,
  check: (given: T) => Promise<Finding[]>,
  asked: (earlier?: T) => Promise<T>,
): Promise<T> {
  let given = await asked()
  for (;;) {
    const findings = await prompt.during(check(given))
    for (const { state, text, todo } of findings) {
      prompt.say(`  ${state}: ${text}`)
      if (todo !== undefined) prompt.say(`  what to do: ${asCalled(todo)}`)
    }
    if (findings.every(({ state }) => state !== 'failed')) return given
    if (!(await prompt.yes('  Answer again?', true))) return given
    given = await asked(given)
  }
}

function problemOf(schema: z.ZodType) {
  return (answer: string): string | undefined =>
    schema.safeParse(answer).error?.issues.at(0)?.message
}
