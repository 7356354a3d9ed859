import type { Command } from 'commander'
import { chooseOneAccount } from '../account/choose.ts'
import { whoAsks } from '../account/who-asks.ts'
import type { EndedCall, MadeCall } from '../apply/make-recorded-call.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { checkCall } from '../core/define/check-call.ts'
import { type CallArguments, itemsOf, type Operation } from '../core/define/operation.ts'
import { ConfigurationError, ServiceError } from '../core/errors.ts'
import { inOwnWords, translated } from '../core/records/translate.ts'
import { parseLossless, rawNumber } from '../core/values/json.ts'
import { type CommonOptions, collect, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccount } from './frame/each-account.ts'
import type { Output } from './frame/output.ts'
import { describeError, errorLines, exitCodeOf } from './frame/print-error.ts'
import type { TableRow } from './frame/table.ts'

interface CallCommandOptions extends CommonOptions {
  help?: boolean
  param?: string[]
  body?: string
  yes?: boolean
  account?: string
}

export function callCommand(run: Runner): Command {
  return defineCommand('call', 'Call an API operation', [
    'call users.get --param userId=me',
    'call phone_numbers.list --param page_size=50 --json',
    'call phone_numbers.allocate --body @allocation.json --yes',
    'call phone_numbers.allocate --help',
  ])
    .helpOption(false)
    .option('-h, --help', 'show the parameters of the operation')
    .argument('[operation]', 'operation ID; `callsheet operations` lists them')
    .option('-p, --param <name=value>', 'path or query parameter (repeatable)', collect)
    .option('-b, --body <json>', 'JSON body; @FILE reads a file, - reads stdin')
    .option('-y, --yes', 'send a request that changes data')
    .option('-a, --account <name>', 'the account (required if there are several)')
    .addHelpText('after', UNSENT)
    .action((id: string | undefined, options: CallCommandOptions, command: Command) => {
      if (id === undefined) {
        command.outputHelp()
        return undefined
      }
      return run(options, (context) => callOperation(context, id, options))
    })
}

/** Sends a read at once. A write is shown first, and sent only with `--yes`. */
async function callOperation(
  context: Context,
  id: string,
  options: CallCommandOptions,
): Promise<number> {
  const { findOperation, showOperations } = await import('./frame/show-operations.ts')
  if (options.help === true) return showOperations(context, id)
  const operation = findOperation(id)
  if (operation.id.endsWith('.download')) throw isAFile(operation)
  const { readCallBody, readParameters } = await import('./call-input.ts')
  const args = readParameters(operation, options.param ?? [])
  const body = readCallBody(options.body)
  checkCall(operation, args, body)
  const { config } = await context.loadConfig()
  const settings = chooseOneAccount(config, options.account, `Calling ${operation.id}`)
  const { output } = context
  if (operation.method !== 'GET') {
    const asked = await inItsWords(settings, { operation, args, body })
    const shown = await asSent(asked)
    preview(output, `${operation.summary}, in account ${settings.name}:`, shown)
    if (options.yes !== true) {
      output.note('Nothing was sent. Add --yes to send it.')
      output.result({ ...told(NOTHING_SENT), ...shown })
      return 2
    }
  }
  return await withAccount(context, settings, async (account) => {
    const { makeRecordedCall } = await import('../apply/make-recorded-call.ts')
    const { signal } = context
    let ended = NOTHING_SENT
    const onEnd = (end: EndedCall): void => void (ended = end)
    const asked = { account: settings.name, operation, args, body, askedBy: whoAsks, signal, onEnd }
    try {
      const made = await makeRecordedCall(account.deps, asked)
      print(output, operation, { made, ended })
      return made.notEntered === undefined ? 0 : 1
    } catch (error) {
      // Reported here, because even after a stop the user must learn whether data was changed.
      const details = detailsOf(error)
      output.result({ ...told(ended), error: { ...describeError(error), details } })
      for (const line of errorLines(error, context.verbose)) output.note(line)
      printDetails(output, details)
      return exitCodeOf(error)
    }
  })
}

const NOTHING_SENT: EndedCall = { sent: false }

/** Returns whether the call was sent, and its ID in `callsheet.calls`. */
function told({ sent, call }: EndedCall) {
  return { sent, call: call ?? null }
}

function print(
  output: Output,
  operation: Operation,
  { made, ended }: { made: MadeCall; ended: EndedCall },
): void {
  const { status, body, trackingId = null, notEntered = null } = made
  output.result({ ...told(ended), status, trackingId, body: body ?? null, notEntered })
  show(output, operation, made)
  if (notEntered !== null)
    output.note(
      `The call succeeded, but it could not be recorded in callsheet.calls: ${notEntered}`,
    )
}

/** Returns the service's errors about single items or fields. */
function detailsOf(error: unknown): readonly unknown[] {
  return error instanceof ServiceError ? error.details : []
}

function printDetails(output: Output, details: readonly unknown[]): void {
  for (const detail of details) {
    const words = isPlain(detail) ? [detail] : Object.values(detail as object)
    output.note(`  ${words.map(wordOf).join(': ')}`)
  }
}

interface Asked {
  operation: Operation
  args: CallArguments
  body: unknown
}

function preview(output: Output, title: string, shown: Awaited<ReturnType<typeof asSent>>): void {
  const { method, path, query, body } = shown
  output.line(title)
  output.line(`  ${method} ${path}`)
  for (const [name, value] of Object.entries(query)) output.line(`  ${name} = ${wordOf(value)}`)
  if (body === null) return
  for (const line of JSON.stringify(body, undefined, 2).split('\n'))
    output.line(`  ${line}`, 'whole')
}

/** Translates a request into the terms that the account's service uses. */
async function inItsWords(
  settings: AccountSettings,
  { operation, args, body }: Asked,
): Promise<Asked> {
  const { wordsOf } = await import('../core/notifications/words.ts')
  const own = wordsOf(settings.words)
  if (own === undefined) return { operation, args, body }
  const sent = inOwnWords(own, operation, args)
  return { operation, args: sent, body: translated(operation, own.own, body) }
}

/** Returns the request as it would be sent, with its secrets masked. */
async function asSent({ operation, args, body }: Asked) {
  const { withoutSecrets } = await import('../apply/make-recorded-call.ts')
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => args.path?.[name] ?? '')
  const shown: unknown = body === undefined ? null : parseLossless(withoutSecrets(body))
  const query = parseLossless(withoutSecrets(args.query ?? {})) as Record<string, unknown>
  return { method: operation.method, path, query, body: shown }
}

function show(
  output: Output,
  operation: Operation,
  { status, body }: { status: number; body: unknown },
): void {
  if (body === undefined) return output.line(`Done (HTTP ${status}).`)
  const items = itemsOf(operation)
  const list = Array.isArray(body) ? body : items === undefined ? undefined : fieldOf(body, items)
  if (!Array.isArray(list)) {
    for (const line of JSON.stringify(body, undefined, 2).split('\n')) output.line(line, 'whole')
    return
  }
  output.table(tableOf(list as Record<string, unknown>[]))
  const token = fieldOf(body, 'next_page_token')
  output.line(`${list.length} records.`)
  if (typeof token === 'string' && token !== '')
    output.note('There are more pages: pass --param next_page_token=..., which --json shows.')
}

/** Lists the plain fields of the records; only `--json` shows nested ones. */
function tableOf(records: readonly Record<string, unknown>[]): TableRow[] {
  const names = new Set(
    records.flatMap((record) =>
      Object.entries(record).flatMap(([name, value]) => (isPlain(value) ? [name] : [])),
    ),
  )
  const rows = records.map((record) => [...names].map((name) => cellOf(record[name])))
  // On a narrow terminal the last fields are hidden first. The first one, usually an ID, is printed in full.
  const headings = [...names].map((heading, at) =>
    at === 0 ? heading : { heading, least: 16, hide: -at },
  )
  return records.length === 0 ? [] : [headings, ...rows]
}

/** Prints numbers unchanged: `layOut` would round them and add thousands separators. */
function cellOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return isPlain(value) ? wordOf(value) : '...'
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Whether a value is plain. A number that a double cannot represent is plain, although it is an object. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || rawNumber(value) !== undefined
}

function fieldOf(body: unknown, name: string): unknown {
  return (body as Record<string, unknown>)[name]
}

function isAFile({ id }: Operation): ConfigurationError {
  return new ConfigurationError('file_operation', {
    tried: `Calling ${id}`,
    expected: 'an operation that returns JSON',
    came: 'this operation returns a file',
    todo: 'run callsheet archive to download files',
  })
}

const UNSENT = `
Without --yes, a request that changes data is printed, not sent (exit code 2).`
