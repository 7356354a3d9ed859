import type { z } from 'zod'
import { accountName } from '../../config/account-settings.ts'
import { identifier, serviceUrl } from '../../config/fields.ts'
import type { Finding } from '../doctor/findings.ts'
import { SERVICE, type Setup } from './configuration.ts'
import type { Prompt } from './prompt.ts'

export type AppAnswers = Pick<Setup, 'authUrl' | 'accountId' | 'clientId' | 'clientSecret'>

/** Checks that run before the next question. */
export interface Checks {
  credentials(given: AppAnswers): Promise<Finding[]>
  database(url: string): Promise<Finding[]>
}

/** Asks for an account and a database, and checks each answer before the next question. */
export async function askSetup(prompt: Prompt, checks: Checks): Promise<Setup> {
  const valid = { check: problemOf(identifier()) }
  const name = await prompt.text('Name of the account, which every row will have', {
    byDefault: 'main',
    check: problemOf(accountName),
  })
  const address = problemOf(serviceUrl())
  const baseUrl = await prompt.text('API address, with its version', {
    byDefault: SERVICE.baseUrl,
    check: address,
  })
  const authUrl = await prompt.text('Address of the authorization server', {
    byDefault: baseUrl === SERVICE.baseUrl ? SERVICE.authUrl : new URL(baseUrl).origin,
    check: address,
  })
  prompt.say(
    "\nThe next values are on the page of your server-to-server app. Secrets aren't shown.",
  )
  const credentials = await untilGood(prompt, checks.credentials, async () => ({
    authUrl,
    accountId: await prompt.text('Account ID', valid),
    clientId: await prompt.text('Client ID', valid),
    clientSecret: await prompt.secret('Client secret'),
  }))
  prompt.say('\nVideo sessions and recordings need a key of their own.')
  const apiKey = await prompt.text('Video API key (empty: none)', {
    check: (key) => (key === '' ? undefined : valid.check(key)),
  })
  const apiSecret = apiKey === '' ? '' : await prompt.secret('Video API secret')
  prompt.say('\nA Postgres 15 or newer. Without one, an embedded Postgres is started when needed.')
  const databaseUrl = await untilGood(
    prompt,
    async (url) => (url === '' ? [] : await checks.database(url)),
    () => prompt.secret('Database URL (not shown; empty: embedded)', 'optional'),
  )
  return { name, baseUrl, ...credentials, apiKey, apiSecret, databaseUrl }
}

/**
 * Asks again while the check fails. The person may continue anyway, because the service may be unavailable at
 * the moment.
 */
async function untilGood<T>(
  prompt: Prompt,
  check: (given: T) => Promise<Finding[]>,
  asked: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const given = await asked()
    const findings = await prompt.during(check(given))
    for (const { state, text, todo } of findings) {
      prompt.say(`  ${state}: ${text}`)
      if (todo !== undefined) prompt.say(`  what to do: ${todo}`)
    }
    if (findings.every(({ state }) => state !== 'failed')) return given
    if (!(await prompt.yes('  Enter it again?', true))) return given
  }
}

function problemOf(schema: z.ZodType) {
  return (answer: string): string | undefined =>
    schema.safeParse(answer).error?.issues.at(0)?.message
}
