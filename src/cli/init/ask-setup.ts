import type { z } from 'zod'
import { accountName } from '../../config/account-settings.ts'
import { identifier, serviceUrl } from '../../config/fields.ts'
import { SERVICE, type Setup } from './configuration.ts'
import type { Prompt } from './prompt.ts'

/** Asks for an account and a database. Checks only how each answer is written: `doctor` tries them. */
export async function askSetup(prompt: Prompt): Promise<Setup> {
  const ask = async (question: string, schema: z.ZodType, byDefault = ''): Promise<string> =>
    await prompt.text(question, { byDefault, check: problemOf(schema) })
  const name = await ask('Name of the account, which every row will have', accountName, 'main')
  const baseUrl = await ask(
    'API address, with its version (baseUrl)',
    serviceUrl(),
    SERVICE.baseUrl,
  )
  const authUrl = await ask(
    'Address of the authorization server (authUrl)',
    serviceUrl(),
    baseUrl === SERVICE.baseUrl ? SERVICE.authUrl : new URL(baseUrl).origin,
  )
  prompt.say(ON_THE_PAGE)
  const accountId = await ask('Account ID', identifier())
  const clientId = await ask('Client ID', identifier())
  const clientSecret = await prompt.secret('Client secret')
  prompt.say('\nVideo sessions and recordings need a key of their own.')
  const apiKey = await prompt.text('Video API key (empty: none)', {
    check: (key) => (key === '' ? undefined : problemOf(identifier())(key)),
  })
  const apiSecret = apiKey === '' ? '' : await prompt.secret('Video API secret')
  prompt.say('\nCallsheet needs Postgres 15 or newer. Without a URL, it starts an embedded one.')
  const databaseUrl = await prompt.secret('Database URL (not shown; empty: embedded)', 'optional')
  return {
    name,
    baseUrl,
    authUrl,
    accountId,
    clientId,
    clientSecret,
    apiKey,
    apiSecret,
    databaseUrl,
  }
}

function problemOf(schema: z.ZodType) {
  return (answer: string): string | undefined =>
    schema.safeParse(answer).error?.issues.at(0)?.message
}

const ON_THE_PAGE =
  "\nThe next values are on the page of your server-to-server app. Secrets aren't shown."
