import { z } from 'zod'
import type { PublishedReport } from '../../report/publish-report.ts'
import { defineTool } from './serve-tools.ts'
import { NO_DATA } from './wholeness.ts'

/** Commands, with the JSON that they return. */
export interface McpCommands {
  status(options: { account?: string }): Promise<{
    accounts: readonly { account: string; health: object }[]
  }>
  report(
    name: string | undefined,
    options: { account?: string; month?: string[] },
  ): Promise<{
    reports: readonly (Partial<PublishedReport> & { account?: string; error?: object })[]
  }>
}

/** The tools that do what a command does. `wholeness` judges all tables of an account. */
export function commandTools(
  commands: McpCommands,
  wholeness: (account: string | undefined) => Promise<string>,
) {
  const account = z.string().max(100).optional().describe('only this account')
  const status = defineTool(
    'Health of each account: its open causes, and what to do about each.',
    { account },
    async ({ account: of }) => {
      const first = await wholeness(of)
      const { accounts } = await commands.status({ ...(of && { account: of }) })
      const shown = accounts.map((one) => ({ account: one.account, health: one.health }))
      return { wholeness: first, lines: shown.map((one) => JSON.stringify(one)) }
    },
  )
  const report = defineTool(
    'Without a name, lists the reports. With one, writes its files into the configured folder.',
    { name: z.string().max(100).optional(), account, month: MONTH.optional() },
    async ({ name, month, account: of }) => {
      const options = { ...(of && { account: of }), ...(month && { month: [month] }) }
      const { reports } = await commands.report(name, options)
      const shown =
        name === undefined
          ? reports
          : reports.map(({ headline, files, notMade, error, ...one }) => {
              const paths = files?.map(({ path }) => path)
              return { account: one.account, headline, files: paths, notMade, error }
            })
      const lines = shown.map((one) => JSON.stringify(one))
      if (name === undefined) return { wholeness: NO_DATA, lines }
      const asOf = new Date(Math.min(...reports.map(({ asOfMs }) => asOfMs ?? 0))).toISOString()
      const whole = reports.length > 0 && reports.every(({ covered }) => covered === true)
      const broken = 'incomplete: a report lacks data, is open or was not made.'
      return { wholeness: whole ? `complete as of ${asOf}.` : broken, lines }
    },
  )
  return { status, report }
}

const MONTH = z
  .string()
  .regex(/^20\d{2}-(0[1-9]|1[0-2])$/)
  .describe('yyyy-mm, of a monthly report')
