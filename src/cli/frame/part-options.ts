import { type Command, Option } from 'commander'
import type { AskedPart } from '../../account/choose-part.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import type { Config } from '../../config/schema.ts'
import type { Job } from '../../core/define/job.ts'
import { day } from './moments.ts'

export interface WorkOptions extends AskedPart {
  full?: boolean
}

/** The jobs that a command works on, and whether it reads all of their data. */
export interface ChosenJobs {
  jobs: readonly Job[]
  full: boolean
}

/** Adds the options that choose a part of one job. */
export function withPart(command: Command): Command {
  const bound = (flag: string, text: string): Option =>
    new Option(`${flag} <day>`, text).argParser(day).conflicts(['full', 'approve'])
  return command
    .option('--stream <name>', 'read all of one stream of the job again')
    .addOption(bound('--from', 'read the windows from this day (UTC) again'))
    .addOption(bound('--to', 'read the windows up to this day (UTC) again'))
}

/** Returns the jobs of an account that the command works on, or the part of one job. */
export async function chooseWork(
  names: readonly string[],
  options: WorkOptions,
  { config, account, nowMs }: { config: Config; account: AccountSettings; nowMs: number },
): Promise<ChosenJobs> {
  const { chooseJobs } = await import('../../account/choose-jobs.ts')
  const jobs = chooseJobs(names, config, account)
  const { stream, from, to, full = false } = options
  if (stream === undefined && from === undefined && to === undefined) return { jobs, full }
  const { choosePart } = await import('../../account/choose-part.ts')
  const { historyDays } = account
  const named = names.length === 0 ? [] : jobs
  return { jobs: choosePart(named, { stream, from, to }, { nowMs, historyDays }), full: true }
}
