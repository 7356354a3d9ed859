import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import { chooseOneAccount } from '../account/choose.ts'
import { whoAsks } from '../account/who-asks.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { ConfigurationError } from '../core/errors.ts'
import { type Identity, identityOf } from '../core/persons/identity.ts'
import { readSmallFile, whyNotRead } from '../core/read-small-file.ts'
import { count } from '../core/values/quantities.ts'
import { eraseColumns } from './erase-columns.ts'
import { type CommonOptions, collect, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { erasureExitCode, printErased, REQUEST_HEADING, requestRow } from './frame/erasure-lines.ts'

interface EraseOptions extends CommonOptions {
  account?: string
  due?: boolean
  user?: readonly string[]
  from?: string
  others?: string
  byName?: boolean
  settled?: boolean
  dryRun?: boolean
  yes?: boolean
  readmit?: boolean
  columns?: boolean
  confirm?: readonly string[]
  list?: boolean
}

export function eraseCommand(run: Runner): Command {
  return defineCommand('erase', 'Permanently erase a person from the database, files and reports', [
    'erase --due --dry-run',
    'erase --due --yes',
    'erase --user 8fKq2LmTQcuX --dry-run',
    'erase --from persons.txt --yes --account main',
    'erase --columns --dry-run',
    'erase --list',
  ])
    .option('-a, --account <name>', 'the account (required if there are several)')
    .option('--due', 'erase everyone who removed the app; resume interrupted erasures')
    .option('--user <id>', 'erase this user ID (repeatable)', collect)
    .option('--from <file>', 'file with one ID or email per line; - reads stdin')
    .option(
      '--others <file>',
      'file of words that contain the ID or email but belong to others (kept)',
    )
    .option('--by-name', 'also erase by name alone, including namesakes')
    .option('--settled', 'confirm that report files listed by an earlier run are handled')
    .option('--dry-run', 'list what would be erased without changing anything')
    .option('--yes', 'erase permanently')
    .option('--readmit', 'let these persons be synced again; erased data stays erased')
    .option('--confirm <number>', 'with --due: accept this unsigned request', collect)
    .option('--columns', 'rewrite stored rows to the columns setting of the account')
    .option('--list', 'list erasure requests, their deadlines and results')
    .addHelpText('after', NOTES)
    .action((options: EraseOptions) => run(options, (context) => erasePersons(context, options)))
}

async function erasePersons(context: Context, options: EraseOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const settings = chooseOneAccount(config, options.account, 'Erasing a person')
  if (options.list === true) return await listRequests(context, settings)
  const { others, from, due = false, columns = false, readmit = false, confirm = [] } = options
  if (others !== undefined && (readmit || (others === '-' && from === '-'))) throw notOthers()
  const persons = await personsOf(options)
  const named = [columns, due, persons.length > 0].filter(Boolean)
  if (named.length !== 1 || (columns && readmit)) throw notNamed(readmit, named.length === 0)
  if (confirm.length > 0 && !(due && confirm.every(isNumber))) throw notConfirming()
  if (readmit) return await letAgain(context, settings, persons)
  if (options.dryRun !== true && options.yes !== true) throw notAsked()
  if (columns) return await eraseColumns(context, settings, options)
  return await erase(context, settings, { options, persons })
}

async function erase(
  context: Context,
  { name: account }: AccountSettings,
  { options, persons }: { options: EraseOptions; persons: readonly Identity[] },
): Promise<number> {
  const { openErasure } = await import('../account/open-erasure.ts')
  const { eraseRequests } = await import('../erasure/erase-requests.ts')
  const { output, signal } = context
  const dryRun = options.dryRun === true
  const othersWords = options.others === undefined ? [] : await readLines(options.others)
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const { deps, close } = await openErasure(opened, { account, signal })
    try {
      let unexplained = 0
      const done = await eraseRequests(deps, {
        account,
        othersWords,
        confirmed: (options.confirm ?? []).map(Number),
        onConfirmed: (requests) => output.table([REQUEST_HEADING, ...requests.map(requestRow)]),
        onUnproven: (ids) => {
          unexplained = ids.length
          output.note(`${UNEXPLAINED} ${ids.join(', ')}. ${ARE_THEY_OURS}`)
        },
        ...(options.due === true ? {} : { persons }),
        askedBy: whoAsks(),
        byName: options.byName === true,
        settled: options.settled === true,
        dryRun,
        signal,
        onErased: (erased) => printErased(output, erased, dryRun),
      })
      if (done.length + unexplained === 0)
        output.line(`Account ${account} has no open erasure requests.`)
      const used = done.reduce((words, { outcome }) => words + outcome.words, 0)
      if (used < othersWords.length) output.note(UNUSED)
      output.result({ account, dryRun, erased: done })
      return dryRun ? 0 : unexplained > 0 ? 1 : erasureExitCode(done)
    } finally {
      await close()
    }
  })
}

async function listRequests(context: Context, { name: account }: AccountSettings): Promise<number> {
  const { readRequests } = await import('../erasure/sql/erasure-requests.ts')
  const { output } = context
  return await withWarehouse(context, { migrate: false }, async ({ warehouse }) => {
    const requests = await readRequests(warehouse.db, account, 'all')
    if (requests.length === 0) output.line(`Account ${account} has no erasure requests.`)
    else output.table([REQUEST_HEADING, ...requests.map(requestRow)])
    const shown = requests.map(
      ({ identities: _identities, subject: _subject, proof: _proof, ...rest }) => rest,
    )
    output.result({ account, requests: shown })
    return 0
  })
}

async function letAgain(
  context: Context,
  { name: account }: AccountSettings,
  persons: readonly Identity[],
): Promise<number> {
  const { openErasure } = await import('../account/open-erasure.ts')
  const { readmitPersons } = await import('../erasure/readmit-persons.ts')
  const { output } = context
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const { deps, close } = await openErasure(opened, { account, signal: context.signal })
    try {
      const { closed, taken } = await readmitPersons(deps, { account, persons })
      if (closed + taken === 0) output.line('None of these persons had been erased.')
      if (taken > 0)
        output.line(
          `The next full sync may keep them again: ${count(taken)} IDs, addresses and names left the list.`,
        )
      if (closed > 0)
        output.line(`Closed ${count(closed)} unfinished requests; what they had not erased stays.`)
      output.result({ account, readmitted: taken, closed })
      return closed + taken === 0 ? 1 : 0
    } finally {
      await close()
    }
  })
}

const UNUSED =
  "Some words of --others changed nothing: a word must contain an erased person's ID or address, and more."
const UNEXPLAINED = 'Not erased, because the evidence key did not sign these requests:'
const ARE_THEY_OURS =
  'If they are yours, name the person again, or accept each request with --confirm NUMBER.'

async function personsOf({ user = [], from }: EraseOptions): Promise<Identity[]> {
  if (user.some((text) => text.includes('@'))) throw addressGiven()
  return [...user, ...(from === undefined ? [] : await readLines(from))].map(identityOf)
}

export async function readLines(from: string): Promise<string[]> {
  const lines = (await readInput(from)).split(/\r?\n/).map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

async function readInput(from: string): Promise<string> {
  if (from === '-') return await readText(process.stdin)
  try {
    return readSmallFile(from, MOST_LISTED_BYTES).toString('utf8')
  } catch (error) {
    throw new ConfigurationError('persons_unreadable', {
      tried: `Reading IDs and addresses from ${from}`,
      expected: 'a text file with one ID or address per line, or - for standard input',
      came: whyNotRead(error),
      todo: 'check the path, and that this user can read the file',
    })
  }
}

const MOST_LISTED_BYTES = 2 ** 24

function addressGiven(): ConfigurationError {
  return new ConfigurationError('address_on_command_line', {
    tried: 'Erasing a person',
    expected: 'a user ID after --user',
    came: 'other users of this machine can read an email address on the command line',
    todo: 'pass the address in a file or on standard input: callsheet erase --from - --dry-run',
  })
}

function notNamed(readmit: boolean, nobody: boolean): ConfigurationError {
  return new ConfigurationError('nobody_named', {
    tried: readmit ? 'Readmitting persons' : 'Erasing',
    expected: readmit ? '--user or --from' : 'either --due, or --columns, or --user and --from',
    came: nobody ? 'no person was named' : 'options that exclude each other were given together',
    todo: 'use one of these; callsheet erase --list shows all erasure requests',
  })
}

function notOthers(): ConfigurationError {
  return new ConfigurationError('others_unusable', {
    tried: 'Reading the words of --others',
    expected: '--others FILE together with --due, --user or --from',
    came: '--others was given with --readmit, or reads the same input as --from',
    todo: 'write the words to a file, one per line: callsheet erase --due --others words.txt --dry-run',
  })
}

function isNumber(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text)
}

function notConfirming(): ConfigurationError {
  return new ConfigurationError('confirm_unusable', {
    tried: 'Confirming erasure requests',
    came: '--confirm was given without --due, or with a value that is not a request number',
    todo: 'pass --due --confirm NUMBER (repeatable); callsheet erase --list shows the numbers',
  })
}

function notAsked(): ConfigurationError {
  return new ConfigurationError('not_confirmed', {
    tried: 'Erasing',
    came: 'both --dry-run and --yes are missing',
    todo: 'add --dry-run to list what would be erased, or --yes to erase permanently',
  })
}

const NOTES = `
Callsheet cannot erase backups, the database's log, copies you gave away, what
archived files show, or text that is encoded, compressed or encrypted
(docs/erasure.md). Email addresses are personal data: pass them in a file or on
stdin, never as arguments.
Exit codes: 0 erased, 1 failed or something is left, 2 wrong usage, 4 a hold or
a lock retains a part, 5 another process is using the account.`
