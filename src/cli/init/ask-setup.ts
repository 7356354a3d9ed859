import type { z } from 'zod'
import { accountName } from '../../config/account-settings.ts'
import { identifier, serviceUrl } from '../../config/fields.ts'
import type { Finding } from '../doctor/findings.ts'
import { asCalled } from '../frame/called-as.ts'
import { SERVICE, type Setup } from './configuration.ts'
import type { Prompt } from './prompt.ts'

type Answer = keyof Setup

/** The findings of a check, and the answers that may have caused them: only these are asked again. */
export interface Checked {
  findings: Finding[]
  doubted: readonly Answer[]
}

/** Checks that run before the next question. */
export interface Checks {
  credentials(given: Setup): Promise<Checked>
  videoKey(given: Setup): Promise<Checked>
  database(given: Setup): Promise<Checked>
}

/** The answers, and the failed checks that the person left to fix later. */
export interface AnsweredSetup {
  setup: Setup
  failed: readonly Finding[]
}

/** Asks for an account and a database. Checks each group of answers before asking for the next one. */
export async function askSetup(prompt: Prompt, checks: Checks): Promise<AnsweredSetup> {
  const setup: Setup = { ...NO_ANSWERS }
  const untilGood = (asked: readonly Answer[], check: (given: Setup) => Promise<Checked>) =>
    askUntilGood({ prompt, setup, check }, asked)
  setup.name = await QUESTIONS.name(prompt, setup, setup)
  const app = await untilGood(['baseUrl', 'authUrl', ...APP], checks.credentials)
  prompt.say('\nVideo sessions and recordings need a key of their own.')
  const video = await untilGood(['apiKey', 'apiSecret'], async (given) =>
    given.apiKey === '' ? NOTHING : await checks.videoKey(given),
  )
  prompt.say('\nCallsheet needs Postgres 15 or newer. Without a URL, it starts an embedded one.')
  const database = await untilGood(['databaseUrl'], async (given) =>
    given.databaseUrl === '' ? NOTHING : await checks.database(given),
  )
  return { setup, failed: [...app, ...video, ...database] }
}

/**
 * Asks, and repeats the questions whose answers may be wrong while the check fails. The person may continue
 * anyway, because the service may be unavailable at the moment. Returns the failures that remain.
 */
async function askUntilGood(
  {
    prompt,
    setup,
    check,
  }: { prompt: Prompt; setup: Setup; check: (given: Setup) => Promise<Checked> },
  first: readonly Answer[],
): Promise<Finding[]> {
  let asked = first
  for (;;) {
    const before = { ...setup }
    for (const name of asked) {
      if (name === 'accountId' && setup.accountId === '') prompt.say(ON_THE_PAGE)
      setup[name] = await QUESTIONS[name](prompt, setup, before)
    }
    const { findings, doubted } = await prompt.during(check(setup))
    for (const { state, text, todo } of findings) {
      prompt.say(`  ${state}: ${text}`)
      if (todo !== undefined) prompt.say(`  what to do: ${asCalled(todo)}`)
    }
    const failed = findings.filter(({ state }) => state === 'failed')
    const again = doubted.length === 0 ? 'Check again?' : 'Answer again?'
    if (failed.length === 0 || !(await prompt.yes(`  ${again}`, true))) return failed
    asked = doubted
  }
}

/** Asks one question; `before` has the answers from before this round of questions. */
type Question = (prompt: Prompt, given: Setup, before: Setup) => Promise<string>

/** The question for each answer. Enter keeps an earlier answer; `authUrl` follows a changed `baseUrl`. */
const QUESTIONS: Readonly<Record<Answer, Question>> = {
  name: textQuestion('Name of the account, which every row will have', accountName, () => 'main'),
  baseUrl: textQuestion(
    'API address, with its version (baseUrl)',
    serviceUrl(),
    ({ baseUrl }) => baseUrl || SERVICE.baseUrl,
  ),
  authUrl: textQuestion(
    'Address of the authorization server (authUrl)',
    serviceUrl(),
    ({ baseUrl, authUrl }, before) => {
      if (baseUrl === before.baseUrl) return authUrl
      return baseUrl === SERVICE.baseUrl ? SERVICE.authUrl : new URL(baseUrl).origin
    },
  ),
  accountId: textQuestion('Account ID', identifier(), ({ accountId }) => accountId),
  clientId: textQuestion('Client ID', identifier(), ({ clientId }) => clientId),
  clientSecret: secretQuestion('Client secret', ({ clientSecret }) => clientSecret),
  apiKey: (prompt, { apiKey }) =>
    prompt.text('Video API key (empty: none)', {
      byDefault: apiKey,
      check: (key) => (key === '' ? undefined : problemOf(identifier())(key)),
    }),
  apiSecret: async (prompt, given) =>
    given.apiKey === ''
      ? ''
      : await secretQuestion('Video API secret', ({ apiSecret }) => apiSecret)(
          prompt,
          given,
          given,
        ),
  databaseUrl: async (prompt, { databaseUrl }) => {
    if (databaseUrl === '')
      return await prompt.secret('Database URL (not shown; empty: embedded)', 'optional')
    const url = await prompt.secret('Database URL (Enter keeps it; - for embedded)', 'optional')
    return url === '-' ? '' : url || databaseUrl
  },
}

function textQuestion(
  question: string,
  schema: z.ZodType,
  byDefault: (given: Setup, before: Setup) => string,
): Question {
  return async (prompt, given, before) =>
    await prompt.text(question, { byDefault: byDefault(given, before), check: problemOf(schema) })
}

function secretQuestion(question: string, earlier: (given: Setup) => string): Question {
  return async (prompt, given) => {
    const known = earlier(given)
    if (known === '') return await prompt.secret(question)
    return (await prompt.secret(`${question} (Enter keeps it)`, 'optional')) || known
  }
}

function problemOf(schema: z.ZodType) {
  return (answer: string): string | undefined =>
    schema.safeParse(answer).error?.issues.at(0)?.message
}

const NO_ANSWERS: Setup = {
  name: '',
  baseUrl: '',
  authUrl: '',
  accountId: '',
  clientId: '',
  clientSecret: '',
  apiKey: '',
  apiSecret: '',
  databaseUrl: '',
}
/** The answers that the app's page at the service shows. */
export const APP = ['accountId', 'clientId', 'clientSecret'] as const
const ON_THE_PAGE =
  "\nThe next values are on the page of your server-to-server app. Secrets aren't shown."
const NOTHING: Checked = { findings: [], doubted: [] }
