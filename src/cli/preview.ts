import type { Command } from 'commander'
import { chooseOneAccount } from '../account/choose.ts'
import { decidingStream, partText } from '../core/records/row-part.ts'
import { count } from '../core/values/quantities.ts'
import type { Preview } from '../sync/preview-stream.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccount } from './frame/each-account.ts'
import { heading } from './frame/table.ts'

interface PreviewOptions extends CommonOptions {
  account?: string
}

export function previewCommand(run: Runner): Command {
  return defineCommand('preview', 'Show ten records of a stream as they would be stored', [
    'preview users',
    'preview session_reports --json',
  ])
    .argument('<stream>', 'stream; it is also the name of its table')
    .option('-a, --account <name>', 'the account (required if there are several)')
    .addHelpText('after', NOTE)
    .action((name: string, options: PreviewOptions) =>
      run(options, (context) => showPreview(context, name, options)),
    )
}

async function showPreview(
  context: Context,
  name: string,
  options: PreviewOptions,
): Promise<number> {
  const { streams } = await import('../account/catalog.ts')
  const { pick } = await import('../account/choose.ts')
  const stream = pick('stream', name, streams)
  const { config } = await context.loadConfig()
  const settings = chooseOneAccount(config, options.account, `Reading records of ${name}`)
  return await withAccount(context, settings, async (account) => {
    const { previewStream } = await import('../sync/preview-stream.ts')
    const columns = Object.entries(stream.columns).map(([column, { pg }]) => ({ column, pg }))
    print(context, columns, await previewStream(account.deps, stream, context.signal))
    const { name: decides } = decidingStream(stream)
    const part = settings.rows[decides]
    if (part !== undefined)
      context.output.line(`Only a part is shown, and kept: ${partText(decides, part)}.`)
    return 0
  })
}

function print(
  { output }: Context,
  columns: readonly { column: string; pg: string }[],
  { rows, drift, unusable }: Preview,
): void {
  const counted = Map.groupBy(drift, ({ kind, path, example }) => `${kind} ${path} ${example}`)
  const found = [...counted.values()].flatMap((same) =>
    same.slice(0, 1).map((one) => ({ ...one, records: same.length })),
  )
  const records = rows.map((row) =>
    Object.fromEntries(columns.map(({ column }, at) => [column, row[at] ?? null])),
  )
  output.result({ columns, records, drift: found, unusable })
  if (rows.length === 0) output.line('The first lists show no usable records.')
  else
    output.table([
      heading(['column', 'type', 'filled', 'first value'], {
        least: { column: 20, 'first value': 24 },
      }),
      ...columns.map(({ column, pg }, at) => {
        const values = rows.flatMap((row) => row[at] ?? [])
        return [column, pg, `${values.length}/${rows.length}`, values[0] ?? '']
      }),
    ])
  output.line()
  for (const { kind, path, example, records: many } of found) {
    const what = example === '' ? '' : ` (${example})`
    output.line(`${path}: ${kind.replace('_', ' ')}${what}, in ${count(many)} of the records`)
  }
  if (found.length === 0 && rows.length > 0 && unusable === 0)
    output.line('No drift: the records are as documented.')
  if (unusable > 0) output.line(`${count(unusable)} records are unreadable or have no usable key.`)
}

const NOTE = `
It stores none of the records; its calls count toward the quota. Like sync, it
migrates the database first. Values may be personal data.`
